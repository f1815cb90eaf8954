import { askYesNo } from './ask-yes-no.ts'
import { Failure } from './failure.ts'
import { io } from './io.ts'

/**
 * Asks for confirmation of an irreversible action. `isYes` means that `--yes` was given. Throws Failure if
 * the person declines, or without a terminal, where `--yes` is required.
 */
export async function confirmAction(question: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return
  if (!io().stdin.isTTY || !io().stdout.isTTY)
    throw new Failure(`This cannot be undone. Without a terminal, confirm it with --yes: ${question}`)
  if (!(await askYesNo(question, new AbortController().signal))) throw new Failure('Nothing was changed.')
}
