import { meaningOf, wordsOf } from './status-meaning.ts'

/** The state of a record. Its colour shows its meaning: done, moving, waiting for a person, failed, ended. */
export function Status({ of }: { readonly of: string }) {
  return <span className={`status ${meaningOf(of)}`}>{wordsOf(of)}</span>
}
