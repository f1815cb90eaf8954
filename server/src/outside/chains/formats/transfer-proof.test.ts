import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../base/formats/hex.ts'
import { CANCELLED_TOPIC, TRANSFER_TOPIC, toTopic, USED_TOPIC } from './calls.ts'
import { type ExpectedTransfer, proveTransfers, type TransactionEvidence } from './transfer-proof.ts'

type Log = TransactionEvidence['logs'][number]
type LogWithoutIndex = Omit<Log, 'logIndex'>

const address = (digit: number): Hex => `0x${String(digit).repeat(40)}`
const word = (value: bigint | number): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`
const HASH = word(0xabc)

const TOKENS = [address(1), address(2)] as const
const ADDRESSES = [address(3), address(4), address(5)] as const
const token = fc.constantFrom(...TOKENS)
const party = fc.constantFrom(...ADDRESSES)
const amount = fc.bigInt({ min: 1n, max: 3n })
const nonce = fc.integer({ min: 1, max: 6 }).map(word)

interface Terms {
  readonly token: Hex
  readonly sender: Hex
  readonly recipient: Hex
  readonly amount: bigint
}
const terms = fc.record({ token, sender: party, recipient: party, amount })

function transferLog(one: Terms): LogWithoutIndex {
  const topics = [TRANSFER_TOPIC, toTopic(one.sender), toTopic(one.recipient)]
  return { address: one.token, topics, data: word(one.amount) }
}

function usedLog(at: Pick<Terms, 'token' | 'sender'>, used: Hex, topic = USED_TOPIC): LogWithoutIndex {
  return { address: at.token, topics: [topic, toTopic(at.sender), used], data: '0x' }
}

/** Logs that resemble a valid one, but do not count. */
const lookAlike: fc.Arbitrary<LogWithoutIndex> = fc.oneof(
  // An ERC-721 transfer has the token's number as a fourth topic and no amount.
  terms.map((one) => ({
    ...transferLog(one),
    topics: [...transferLog(one).topics, word(one.amount)],
    data: '0x' as const,
  })),
  terms.map((one) => ({ ...transferLog(one), data: '0x' as const })),
  terms.map((one) => ({ ...transferLog(one), data: `${word(one.amount)}00` as const })),
  fc.tuple(terms, nonce).map(([one, used]) => usedLog(one, used, CANCELLED_TOPIC)),
  fc.tuple(terms, nonce).map(([one, used]) => ({ ...usedLog(one, used), topics: [USED_TOPIC, used] })),
)
const anyLog = fc.oneof(
  { weight: 3, arbitrary: terms.map(transferLog) },
  { weight: 3, arbitrary: fc.tuple(terms, nonce).map(([one, used]) => usedLog(one, used)) },
  { weight: 1, arbitrary: lookAlike },
)

/** Places logs in a block, with logs of other transactions between them. */
function placeLogs(logs: readonly LogWithoutIndex[]): Log[] {
  return logs.map((log, at) => ({ ...log, logIndex: 7 + 3 * at }))
}

/** Payments with different nonces, in the form in which the database stores them. */
const expectedTransfers = fc
  .uniqueArray(fc.record({ one: terms, nonce }), { selector: ({ nonce: own }) => own, maxLength: 5 })
  .map((all) => all.map(({ one, nonce: own }): ExpectedTransfer => ({ ...one, by: { nonce: own } })))

function evidence(logs: readonly Log[], status: 'success' | 'reverted' = 'success'): TransactionEvidence {
  return { transactionHash: HASH, status, logs }
}

function listOutcomes(logs: readonly Log[], expected: readonly ExpectedTransfer[]): string[] {
  return proveTransfers(evidence(logs), expected).map(({ outcome }) => outcome)
}

const nonceIn = ({ by }: ExpectedTransfer) => ('nonce' in by ? by.nonce : word(0))
const isUseOf = (one: ExpectedTransfer) => (log: Log) =>
  log.address === one.token &&
  log.topics.length === 3 &&
  log.topics[0] === USED_TOPIC &&
  log.topics[1] === toTopic(one.sender) &&
  log.topics[2] === nonceIn(one)
const isTransferOf = (one: Terms) => (log: Log) =>
  JSON.stringify({ ...log, logIndex: 0 }) === JSON.stringify({ ...transferLog(one), logIndex: 0 })

describe('evidence of transfers', () => {
  test('a transaction proves a transfer only if it used its nonce and logged its exact terms', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 12 }), expectedTransfers, (logs, expected) => {
        const all = placeLogs(logs)
        proveTransfers(evidence(all), expected).forEach((proof, at) => {
          const one = expected[at]!
          const isUsed = all.some(isUseOf(one))
          if (proof.outcome === 'made') expect(isTransferOf(one)(proof.log) && isUsed).toBe(true)
          else expect(proof.outcome).toBe(isUsed ? 'used-otherwise' : 'not-yet')
        })
      }),
    )
  })

  test('each log of a transaction proves at most one of several identical transfers', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 12 }), expectedTransfers, (logs, expected) => {
        const all = placeLogs(logs)
        const proofs = proveTransfers(evidence(all), expected)
        const places = proofs.flatMap((proof) => (proof.outcome === 'made' ? [proof.log.logIndex] : []))
        expect(new Set(places).size).toBe(places.length)
        for (const one of expected) {
          const isAlike = (other: ExpectedTransfer) =>
            isTransferOf(one)({ ...transferLog(other), logIndex: 0 })
          const used = expected.filter((other) => isAlike(other) && all.some(isUseOf(other))).length
          const there = all.filter(isTransferOf(one)).length
          const made = proofs.filter((proof, at) => proof.outcome === 'made' && isAlike(expected[at]!)).length
          expect(made).toBe(Math.min(used, there))
        }
      }),
    )
  })

  test('a transaction proves the same transfers whatever the order of its logs and of the expected payments', () => {
    fc.assert(
      fc.property(
        fc.array(anyLog, { maxLength: 12 }),
        expectedTransfers,
        fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
        (logs, expected, keys) => {
          const all = placeLogs(logs)
          const shuffled = <T>(items: readonly T[]) =>
            items
              .map((item, at) => ({ item, key: keys[at]! }))
              .sort((a, b) => a.key - b.key)
              .map(({ item }) => item)
          const of = (list: readonly Log[], asked: readonly ExpectedTransfer[]) =>
            new Map(asked.map((one, at) => [nonceIn(one), proveTransfers(evidence(list), asked)[at]]))
          expect(of(shuffled(all), shuffled(expected))).toEqual(of(all, expected))
        },
      ),
    )
  })

  test('a transaction whose calls all succeeded proves all their transfers, whatever else it contains', () => {
    fc.assert(
      fc.property(
        expectedTransfers,
        fc.array(anyLog, { maxLength: 6 }),
        fc.boolean(),
        (expected, others, isUseFirst) => {
          const calls = expected.flatMap((one) => {
            const pair = [usedLog(one, nonceIn(one)), transferLog(one)]
            return isUseFirst ? pair : pair.reverse()
          })
          expect(listOutcomes(placeLogs([...others, ...calls]), expected)).toEqual(expected.map(() => 'made'))
        },
      ),
    )
  })

  test('a reverted transaction proves nothing, whatever logs a node reports for it', () => {
    fc.assert(
      fc.property(fc.array(anyLog), expectedTransfers, (logs, expected) => {
        const proofs = proveTransfers(evidence(placeLogs(logs), 'reverted'), expected)
        expect(proofs).toEqual(expected.map(() => ({ outcome: 'not-yet' })))
      }),
    )
  })

  test('of two identical payments, a transaction proves the one whose nonce precedes the transfer', () => {
    const pays = { token: TOKENS[0], sender: ADDRESSES[0], recipient: ADDRESSES[1], amount: 5n }
    const [first, second] = [word(1), word(2)]
    const expected = [first, second].map((own) => ({ ...pays, by: { nonce: own } }))
    const elsewhere = transferLog({ ...pays, recipient: ADDRESSES[2] })
    const logs = [usedLog(pays, first), elsewhere, usedLog(pays, second), transferLog(pays)]
    expect(listOutcomes(placeLogs(logs), expected)).toEqual(['used-otherwise', 'made'])
  })

  test('a plain transfer is proved only by the hash of its own transaction', () => {
    const pays = { token: TOKENS[0], sender: ADDRESSES[0], recipient: ADDRESSES[1], amount: 5n }
    const by = (hashes: readonly Hex[]) => [{ ...pays, by: { hashes } }]
    const logs = placeLogs([transferLog(pays)])
    expect(listOutcomes(logs, by([HASH]))).toEqual(['made'])
    expect(listOutcomes(logs, by([word(1)]))).toEqual(['not-yet'])
    expect(listOutcomes([], by([HASH]))).toEqual(['used-otherwise'])
    // A token that charges a fee moves a different amount.
    expect(listOutcomes(placeLogs([transferLog({ ...pays, amount: 4n })]), by([HASH]))).toEqual([
      'used-otherwise',
    ])
  })
})
