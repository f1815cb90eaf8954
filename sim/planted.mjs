/**
 * Faults that the simulation must find: each is a change of one place of the server, whose text must be there once.
 * @type {readonly { name: string, file: string, find: string, replace: string }[]}
 */
export const PLANTED = [
  {
    name: 'an answer is given before its commit',
    file: 'server/src/op/rerun.ts',
    find: 'return writes.length === 0 ? { done: true } : await app.commit(op, writes)',
    replace: 'void app.commit(op, writes).catch(() => {})\n  return { done: true }',
  },
  {
    name: 'a repeated call is done again',
    file: 'server/src/http/pipeline.ts',
    find: 'writes: keyed && isFinal ? [...writes, keepAnswer(op, keyed, answer)] : writes',
    replace: 'writes',
  },
  {
    name: 'due work is taken off before it is done',
    file: 'server/src/jobs/perform.ts',
    find: 'const { done } = await commit(op, row ? writes : [removal(job), ...writes])',
    replace: 'if (!row) await commit(op, [removal(job)])\n      const { done } = await commit(op, writes)',
  },
  {
    name: 'a transfer that fails moves its money',
    file: 'server/src/transfers/jobs.ts',
    find: "if (answer.outcome === 'delivered') {",
    replace: "if (answer.outcome === 'delivered' || answer.outcome === 'failed') {",
  },
  {
    name: 'what a failed transfer held is not given back',
    file: 'server/src/transfers/jobs.ts',
    find: '[release(op, heldOf(transaction, account)), ...writes, balanceUpdated(op, account)]',
    replace: '[...writes, balanceUpdated(op, account)]',
  },
  {
    name: 'a transfer moves money without telling the new balance',
    file: 'server/src/transfers/jobs.ts',
    find: "...moveTransaction(op, transaction, 'settle', change).writes,\n      balanceUpdated(op, account),",
    replace: "...moveTransaction(op, transaction, 'settle', change).writes,",
  },
  {
    name: 'an event that was refused counts as delivered',
    file: 'server/src/webhooks/deliver.ts',
    find: 'return (status >= 200 && status < 300) || status === 409',
    replace: 'return status >= 200',
  },
  {
    name: 'events of one object overtake each other',
    file: 'server/src/webhooks/deliver.ts',
    find: 'if (before) return waitFor(',
    replace: 'if (before && payload.eventId === objectId) return waitFor(',
  },
  {
    name: 'work of a process that died is never claimed again',
    file: 'server/src/jobs/store.ts',
    find: "const IS_FREE = '(claimed_until IS NULL OR claimed_until <= $1)'",
    replace: "const IS_FREE = '(claimed_until IS NULL AND $1::timestamptz IS NOT NULL)'",
  },
  {
    name: 'two calls under one key at the same time are both done',
    file: 'server/src/db/functions/commit-together.ts',
    find: 'IF coalesce(cardinality(keys), 0) <> cardinality(key_writes) THEN',
    replace: 'IF false THEN',
  },
  {
    name: 'a payment is given back because its connector did not answer',
    file: 'server/src/connectors/outcomes.ts',
    find: 'if (answer.why !== undefined) return unknown(answer.why, asking)',
    replace:
      "if (answer.why !== undefined) return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail: answer.why }",
  },
  {
    name: 'what a bank sends back stays away',
    file: 'server/src/transfers/jobs.ts',
    find: "if (answer.outcome !== 'returned') return []",
    replace: "if (answer.outcome !== 'failed') return []",
  },
]
