import { meaningOf, wordsOf } from './status-meaning.ts'

/** A record's state. Its color shows its meaning: done, moving, waiting for a person, failed, ended. */
export function Status({ of }: { readonly of: string }) {
  return <span className={`status ${meaningOf(of)}`}>{wordsOf(of)}</span>
}
