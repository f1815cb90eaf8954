import { printResult, type Shell } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'

/** `countersign sandbox reset`: asks for confirmation unless `--yes` is given. */
export async function resetSandbox(shell: Shell, isYes: boolean | undefined): Promise<void> {
  await confirmAction(`Permanently remove everything on this platform of ${shell.baseUrl}?`, isYes)
  const result = await shell.countersign.sandbox.reset()
  printResult(shell, result, [
    `The platform is empty. Its new id is ${result.platformId}, and its tokens are unchanged.`,
  ])
}
