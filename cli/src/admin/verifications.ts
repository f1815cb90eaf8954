import { tableOf } from '../terminal/table.ts'
import { ask } from './ask-server.ts'

interface Verification {
  readonly id: string
  readonly platformId?: string
  readonly customerId: string
  readonly verificationStatus: string
  readonly submission: number
  readonly updatedAt: string
}

/** `countersign verification list`: gives the exit code. */
export async function listVerifications(options: { status?: string; json?: boolean }): Promise<number> {
  const status = options.status === undefined ? [] : ['--status', options.status]
  return ask(
    ['verification', 'list', ...status],
    options.json ?? false,
    ({ data }: { readonly data: readonly Verification[] }) =>
      tableOf(
        data.map(({ id, updatedAt, platformId = '', customerId }) => [id, updatedAt, platformId, customerId]),
        'No verification waits.',
      ),
  )
}

/** `countersign verification decide`: gives the exit code. */
export async function decideVerification(
  id: string,
  decision: string,
  options: { reason?: string; json?: boolean },
): Promise<number> {
  const reason = options.reason === undefined ? [] : ['--reason', options.reason]
  const args = ['verification', 'decide', '--verification', id, '--decision', decision, ...reason]
  return ask(args, options.json ?? false, describe)
}

/** `countersign verification reopen`: gives the exit code. */
export async function reopenVerification(
  id: string,
  options: { reason: string; json?: boolean },
): Promise<number> {
  const args = ['verification', 'reopen', '--verification', id, '--reason', options.reason]
  return ask(args, options.json ?? false, describe)
}

function describe({ id, customerId, verificationStatus }: Verification): string {
  return `${id} of ${customerId} is ${verificationStatus}.\n`
}
