/** Filters as the end of an address: `?kind=DEPOSIT`, or nothing. */
export function searchOf(values: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** The search of an address, of which a list takes these names: `validateSearch: textSearch('status', 'search')`. */
export function textSearch<const Name extends string>(...names: Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [N in Name]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text = String(search[name] ?? '')
        return text === '' ? [] : [[name, text]]
      }),
    ) as { [N in Name]?: string | undefined }
}
