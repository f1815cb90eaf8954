import { isWireWord, WIRE_WORD_IN_WORDS } from '@countersign/contract/core/wire-word'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'

/** The server's wire word, if the environment sets one: the server uses the same variable. Throws Failure. */
export function wireWord(): { readonly wireWord?: string } {
  const word = io().env.COUNTERSIGN_WIRE_WORD
  if (!word) return {}
  if (!isWireWord(word))
    throw new Failure(`COUNTERSIGN_WIRE_WORD must be ${WIRE_WORD_IN_WORDS}, not "${word}".`)
  return { wireWord: word }
}
