/** Formats filters as a query string: `?kind=DEPOSIT`, or an empty string. */
export function formatSearch(values: Readonly<Record<string, string | undefined>> = {}): string {
  const present = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`
}

/**
 * Creates a `validateSearch` function that keeps only these query parameters: `validateSearch:
 * textSearch('status', 'search')`.
 */
export function createSearchValidator<const Name extends string>(...names: Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [N in Name]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text = String(search[name] ?? '')
        return text === '' ? [] : [[name, text]]
      }),
    ) as { [N in Name]?: string | undefined }
}
