/** The status of an answer. Its colour says whether the call was carried out. */
export function HttpStatus({ of }: { readonly of: number }) {
  const meaning = of < 300 ? 'done' : of < 400 ? 'ended' : 'failed'
  return <span className={`status figures ${meaning}`}>{of}</span>
}
