import { tableOf } from '../terminal/table.ts'
import { ask } from './ask-server.ts'

interface Status {
  readonly version: string
  readonly stepsLeft: readonly string[]
  readonly otherServers: readonly string[]
}

/** `countersign upgrade status`: gives the exit code. */
export async function showUpgrade(options: { json?: boolean }): Promise<number> {
  return ask(['upgrade', 'status'], options.json ?? false, ({ version, stepsLeft, otherServers }: Status) =>
    tableOf(
      [
        ['this build', version],
        ['last steps left', stepsLeft.join(', ') || 'none: the upgrade is finished'],
        ['servers of other releases', otherServers.join(', ') || 'none'],
      ],
      '',
    ),
  )
}

/** `countersign upgrade finish`: gives the exit code. */
export async function finishUpgrade(options: { force?: boolean; json?: boolean }): Promise<number> {
  return ask(
    ['upgrade', 'finish', ...(options.force ? ['--force'] : [])],
    options.json ?? false,
    ({ version, finished }: { readonly version: string; readonly finished: readonly string[] }) =>
      finished.length > 0
        ? `The upgrade to ${version} is finished: ${finished.join(', ')}.\n`
        : `Nothing is left of the upgrade to ${version}.\n`,
  )
}
