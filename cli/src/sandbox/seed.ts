import { progress } from '@clack/prompts'
import { seedSandbox } from '@countersign/sdk/testing'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'

/** `countersign sandbox seed`: creates example data, with a progress bar. */
export async function fillSandbox(
  shell: Shell,
  options: { readonly customers?: number; readonly days?: number },
): Promise<void> {
  const isShown = !shell.isJson && io().stdout.isTTY
  const size = 100
  const bar = isShown ? progress({ max: size }) : undefined
  let shownPercent = 0
  bar?.start('Create example data')
  try {
    const result = await seedSandbox(shell.countersign, {
      ...options,
      onProgress: ({ done, total, words }) => {
        const percent = Math.floor((done / total) * size)
        bar?.advance(percent - shownPercent, words)
        shownPercent = percent
      },
    })
    bar?.stop('The data set was created')
    const { customerIds, days } = result
    printResult(shell, result, [`${customerIds.length} customers and ${days} days of payments were created.`])
  } catch (error) {
    bar?.error('not finished; the records created so far stay')
    throw error
  }
}

/** Parses a whole number from 0 to 9999. Throws Failure. */
export function readCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Failure(`The value must be a number from 0 to 9999, not "${text}".`)
  return Number(text)
}
