import { meaningOf, wordsOf } from './status-meaning.ts'

/** The state of a record. Its colour says what it means: done, moving, waits for a person, failed, ended. */
export function Status({ of }: { readonly of: string }) {
  return <span className={`status ${meaningOf(of)}`}>{wordsOf(of)}</span>
}
