/**
 * Asks the person at the terminal. Undefined without a reply: after Esc, Ctrl-C or the end of the program.
 */
export async function askYesNo(question: string, signal: AbortSignal): Promise<boolean | undefined> {
  // Loaded here, so that no other command waits for it.
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: question, initialValue: false, signal })
  return isCancel(answer) ? undefined : answer
}
