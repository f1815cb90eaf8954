/** The status code of a response. Its color shows if the call succeeded. */
export function HttpStatus({ of }: { readonly of: number }) {
  const meaning = of < 300 ? 'done' : of < 400 ? 'ended' : 'failed'
  return <span className={`status figures ${meaning}`}>{of}</span>
}
