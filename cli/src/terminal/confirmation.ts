import { askYesNo } from './ask-yes-no.ts'
import { Failure } from './failure.ts'
import { io } from './io.ts'

/**
 * Asks before an action that cannot be undone. `isYes`: `--yes` was given. Throws Failure if the person
 * declines, or if there is no terminal: a script passes --yes.
 */
export async function confirmAction(question: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return
  if (!io().stdin.isTTY || !io().stdout.isTTY)
    throw new Failure(`This cannot be undone. Without a terminal, confirm it with --yes: ${question}`)
  if (!(await askYesNo(question, new AbortController().signal))) throw new Failure('Nothing was changed.')
}
