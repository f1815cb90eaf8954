import { type Shell, say } from '../connection/shell.ts'

/** `countersign console` */
export async function openConsole(shell: Shell): Promise<void> {
  const link = await shell.countersign.sandbox.consoleLink()
  say(shell, link, [link.url])
}
