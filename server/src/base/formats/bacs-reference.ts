/** True for the core reference of a Bacs mandate: 6 to 18 characters that are not all the same. */
export function isBacsReference(text: string): boolean {
  return /^(?!DDIC)[A-Z0-9][A-Z0-9./-]{5,17}$/.test(text) && !/^(.)\1*$/.test(text)
}
