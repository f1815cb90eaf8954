/** Filters as the end of an address: `?kind=DEPOSIT`, or nothing. */
export function searchOf(values: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
