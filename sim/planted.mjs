/**
 * Faults that the simulation must find. Each replaces a string of the server's source code, which must occur
 * exactly once.
 * @type {readonly { name: string, file: string, find: string, replace: string }[]}
 */
export const PLANTED = [
  {
    name: 'a response is sent before its commit',
    file: 'server/src/kernel/operation/decide-and-commit.ts',
    find: 'return writes.length === 0 ? { done: true } : await app.commit(op, writes)',
    replace: 'void app.commit(op, writes).catch(() => {})\n  return { done: true }',
  },
  {
    name: 'a repeated call is executed again',
    file: 'server/src/edge/http/pipeline/run-operation.ts',
    find: 'writes: keyed && isFinal ? [...writes, saveResponse(op, keyed, answer)] : writes',
    replace: 'writes',
  },
  {
    name: 'a job is deleted before it is done',
    file: 'server/src/kernel/outbox/run-job.ts',
    find: 'const { done } = await commit(op, row ? writes : [buildRemoval(job), ...writes])',
    replace:
      'if (!row) await commit(op, [buildRemoval(job)])\n      const { done } = await commit(op, writes)',
  },
  {
    name: 'a transfer that fails moves its money',
    file: 'server/src/money/transfers/jobs.ts',
    find: 'fail: (answer) => failDelivery(op, transaction, account, answer),',
    replace:
      "fail: (answer) => recordDelivery(op, transaction, account, { ...answer, outcome: 'delivered' }),",
  },
  {
    name: 'the hold of a failed transfer is not released',
    file: 'server/src/money/transfers/jobs.ts',
    find: '[release(op, requireHold(transaction, account)), ...writes, buildBalanceEvent(op, account)]',
    replace: '[...writes, buildBalanceEvent(op, account)]',
  },
  {
    name: 'a transfer moves money without reporting the new balance',
    file: 'server/src/money/transfers/jobs.ts',
    find: "...moveTransaction(op, transaction, 'settle', change).writes,\n    buildBalanceEvent(op, account),",
    replace: "...moveTransaction(op, transaction, 'settle', change).writes,",
  },
  {
    name: 'an event that was refused counts as delivered',
    file: 'server/src/people/webhooks/request-series.ts',
    find: 'return (status >= 200 && status < 300) || status === 409',
    replace: 'return status >= 200',
  },
  {
    name: 'events of one object overtake each other',
    file: 'server/src/people/webhook-endpoints/endpoint-run.ts',
    find: 'order.add(event)',
    replace: 'order.add({ ...event, object_id: event.id })',
  },
  {
    name: 'an event is sent although the previous one was not received',
    file: 'server/src/people/webhooks/request-series.ts',
    find: "if (!('response' in outcome && isReceived(outcome.response.status))) break",
    replace: '',
  },
  {
    name: 'work of a process that died is never claimed again',
    file: 'server/src/kernel/outbox/store.ts',
    find: "const IS_FREE = '(claimed_until IS NULL OR claimed_until <= $1)'",
    replace: "const IS_FREE = '(claimed_until IS NULL AND $1::timestamptz IS NOT NULL)'",
  },
  {
    name: 'two calls under one key at the same time are both executed',
    file: 'server/src/storage/schema/functions/commit-together.ts',
    find: 'IF coalesce(cardinality(keys), 0) <> cardinality(key_writes) THEN',
    replace: 'IF false THEN',
  },
  {
    name: 'a payment is returned because its connector did not respond',
    file: 'server/src/outside/connectors/outcomes.ts',
    find: 'if (response.why !== undefined) return { subject: id, ...toUnknown(response.why, times) }',
    replace:
      "if (response.why !== undefined) return { subject: id, outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail: response.why }",
  },
  {
    name: 'a connector response about another payment is accepted',
    file: 'server/src/money/rails/rail-payments.ts',
    find: 'if (subject === request.id) return answer',
    replace: 'if (subject !== undefined) return answer',
  },
  {
    name: 'a payment that a bank returns is not credited',
    file: 'server/src/money/rails/settlement-table.ts',
    find: "returned: 'reverse',",
    replace: "returned: 'none',",
  },
  {
    name: 'a statement of another account counts',
    file: 'server/src/outside/bank-files/apply-statement.ts',
    find: 'if (!isOurs(worker.rail, head.account, currency)) return noteOtherAccount(worker, head.account, currency)',
    replace:
      'if (!isOurs(worker.rail, head.account, currency)) await noteOtherAccount(worker, head.account, currency)',
  },
  {
    name: 'the instructed amount is credited, not the booked one',
    file: 'server/src/outside/bank-files/deposit-of-line.ts',
    find: 'const { amount, currency, only } = line',
    replace:
      'const { currency, only } = line\n  const amount = (line.amount = only?.instructed?.amount ?? line.amount)',
  },
  {
    name: 'a file that arrives again is counted again',
    file: 'server/src/outside/bank-files/statement-lines.ts',
    find: 'const occurrences = new Map<string, number>()',
    replace: "const occurrences = (globalThis['occurrences'] ??= new Map())",
  },
  {
    name: 'a statement reported under two ids counts twice',
    file: 'server/src/outside/bank-files/statement-lines.ts',
    find: '{ account }: StatementHead,',
    replace: '{ id: account }: StatementHead,',
  },
  {
    name: 'a returned collection is not debited from the account',
    file: 'server/src/outside/bank-files/understand-line.ts',
    find: "const isReturn = isOutgoing === (direction === 'PULL')",
    replace: "const isReturn = !isOutgoing && direction === 'OUT'",
  },
  {
    name: 'an authorization that was used counts as a payment made',
    file: 'server/src/outside/chains/payments/authorization-uses.ts',
    find: 'const { [part]: proof } = await judgeReceipt(op, rail.name, payment, receipt)',
    replace: "await judgeReceipt(op, rail.name, payment, receipt)\n  const proof = 'made'",
  },
]
