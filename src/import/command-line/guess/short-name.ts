/** `container_name_1_container_image_1` → `container_name_image`: a word that a form has twice says nothing new, nor does a number. */
export function shortName(name: string): string {
  const words = name.split('_');
  if (words.length < 4) return name;
  return [...new Set(words)].filter((word, index) => index === 0 || !/^\d+$/.test(word)).join('_');
}
