import type { Answer } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'

type Explanation = Answer<'ledger_transfer_explain'>['body']

/** `countersign ledger explain`: explains a transfer, or all transfers of a transaction, quote or purchase. */
export async function explainTransfer(shell: Shell, id: string): Promise<void> {
  const { countersign } = shell
  const ids = id.startsWith('LedgerTransfer:') ? [id] : await findTransferIds(shell, id)
  if (ids.length === 0) throw new Failure(`${id} has no ledger transfers.`)
  const explanations: Explanation[] = []
  for (const ledgerTransferId of ids)
    explanations.push(
      (await countersign.call('ledger_transfer_explain', { params: { ledgerTransferId } })).body,
    )
  printResult(shell, explanations, explanations.flatMap(describe))
}

async function findTransferIds({ countersign }: Shell, cause: string): Promise<string[]> {
  const ids: string[] = []
  const query = { cause, limit: 100, sortOrder: 'asc' } as const
  for await (const transfer of countersign.paginate('ledger_transfer_list', { query })) ids.push(transfer.id)
  return ids
}

/** Lists the steps, each indented below the step that caused it. */
function describe({ steps }: Explanation): string[] {
  return steps.flatMap(({ step, id, state, at, summary }, depth) => {
    const indent = '  '.repeat(Math.min(depth, 1))
    return [
      `${indent}${step}  ${id}${state === undefined ? '' : `  ${state}`}  ${at}`,
      `${indent}  ${summary}`,
    ]
  })
}
