import { formatConstant, getMeaning } from './status-meaning.ts'

/** A record's state, colored by its meaning: done, in progress, waiting for a decision, failed, or ended. */
export function Status({ state }: { readonly state: string }) {
  return <span className={`status ${getMeaning(state)}`}>{formatConstant(state)}</span>
}
