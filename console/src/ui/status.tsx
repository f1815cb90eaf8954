import { getMeaning, wordsOf } from './status-meaning.ts'

/** A record's state, colored by its meaning: done, in progress, waiting for a person, failed, or ended. */
export function Status({ of }: { readonly of: string }) {
  return <span className={`status ${getMeaning(of)}`}>{wordsOf(of)}</span>
}
