/** A response's status code. Its color shows whether the call succeeded. */
export function HttpStatus({ status }: { readonly status: number }) {
  const meaning = status < 300 ? 'done' : status < 400 ? 'ended' : 'failed'
  return <span className={`status figures ${meaning}`}>{status}</span>
}
