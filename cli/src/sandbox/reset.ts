import { printResult, type Shell } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'

/** `countersign sandbox reset`: asks first, unless `--yes` is given. */
export async function resetSandbox(shell: Shell, isYes: boolean | undefined): Promise<void> {
  await confirmAction(`Permanently remove everything on this platform of ${shell.baseUrl}?`, isYes)
  const answer = await shell.countersign.sandbox.reset()
  printResult(shell, answer, [`The platform is empty. It is ${answer.platformId} now, with the same tokens.`])
}
