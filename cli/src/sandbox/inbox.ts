import { present } from '@countersign/contract/core/objects'
import { printResult, type Shell } from '../connection/shell.ts'

/** `countersign sandbox inbox`: prints the latest messages, newest last. */
export async function readInbox(shell: Shell, to: string | undefined): Promise<void> {
  const { data } = await shell.countersign.sandbox.inbox({ ...present({ recipient: to }), limit: 20 })
  const lines = [...data].reverse().map(({ createdAt, channel, recipient, subject, text }) => {
    const words = [subject, text].filter((part) => part).join(': ')
    return `${createdAt}  ${channel}  ${recipient}  ${words.replace(/\s+/g, ' ').trim()}`
  })
  printResult(shell, data, lines.length > 0 ? lines : ['No messages yet.'])
}
