/** Takes an item out of a list that each call adds one to; without a copy for the last one, which most are. */
export function removeFrom<T>(list: T[], item: T): void {
  if (list.at(-1) === item) list.pop();
  else {
    const place = list.indexOf(item);
    if (place !== -1) list.splice(place, 1);
  }
}
