/** Works on all items, so many at once, and gives the results in the items' order. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  if (items.length <= limit) return Promise.all(items.map(work));
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      // `index` is below the length, so there is an item.
      results[index] = await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
