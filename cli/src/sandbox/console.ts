import { printResult, type Shell } from '../connection/shell.ts'

/** `countersign console` */
export async function openConsole(shell: Shell): Promise<void> {
  const link = await shell.countersign.sandbox.consoleLink()
  printResult(shell, link, [link.url])
}
