/**
 * Asks a yes-or-no question on the terminal. Undefined if there is no answer: after Esc or Ctrl-C, or when
 * the signal is aborted.
 */
export async function askYesNo(question: string, signal: AbortSignal): Promise<boolean | undefined> {
  // Imported lazily, so that other commands start faster.
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: question, initialValue: false, signal })
  return isCancel(answer) ? undefined : answer
}
