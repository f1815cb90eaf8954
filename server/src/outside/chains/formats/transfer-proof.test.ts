import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../base/formats/hex.ts'
import { CANCELLED_TOPIC, TRANSFER_TOPIC, toTopic, USED_TOPIC } from './calls.ts'
import { type ExpectedTransfer, proveTransfers, type TransactionEvidence } from './transfer-proof.ts'

type Log = TransactionEvidence['logs'][number]
type Unplaced = Omit<Log, 'logIndex'>

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

function transferLog(one: Terms): Unplaced {
  const topics = [TRANSFER_TOPIC, toTopic(one.sender), toTopic(one.recipient)]
  return { address: one.token, topics, data: word(one.amount) }
}

function usedLog(at: Pick<Terms, 'token' | 'sender'>, used: Hex, topic = USED_TOPIC): Unplaced {
  return { address: at.token, topics: [topic, toTopic(at.sender), used], data: '0x' }
}

/** Logs that resemble a valid one, but do not count. */
const lookAlike: fc.Arbitrary<Unplaced> = fc.oneof(
  // A token without amounts (ERC-721) has the number of the thing as a fourth topic.
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
function placed(logs: readonly Unplaced[]): Log[] {
  return logs.map((log, at) => ({ ...log, logIndex: 7 + 3 * at }))
}

/** Payments of different nonces, as the database has them. */
const expectedTransfers = fc
  .uniqueArray(fc.record({ one: terms, nonce }), { selector: ({ nonce: own }) => own, maxLength: 5 })
  .map((all) => all.map(({ one, nonce: own }): ExpectedTransfer => ({ ...one, by: { nonce: own } })))

function evidence(logs: readonly Log[], status: 'success' | 'reverted' = 'success'): TransactionEvidence {
  return { transactionHash: HASH, status, logs }
}

function verdicts(logs: readonly Log[], expected: readonly ExpectedTransfer[]): string[] {
  return proveTransfers(evidence(logs), expected).map(({ is }) => is)
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

describe('a transaction', () => {
  test('proves a transfer only by a log with its token, sender, recipient and amount, next to the use of its nonce', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 12 }), expectedTransfers, (logs, expected) => {
        const all = placed(logs)
        proveTransfers(evidence(all), expected).forEach((proof, at) => {
          const one = expected[at]!
          const isUsed = all.some(isUseOf(one))
          if (proof.is === 'made') expect(isTransferOf(one)(proof.log) && isUsed).toBe(true)
          else expect(proof.is).toBe(isUsed ? 'used-otherwise' : 'not-yet')
        })
      }),
    )
  })

  test('proves as many equal transfers as it has matching logs, because each log proves one', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 12 }), expectedTransfers, (logs, expected) => {
        const all = placed(logs)
        const proofs = proveTransfers(evidence(all), expected)
        const places = proofs.flatMap((proof) => (proof.is === 'made' ? [proof.log.logIndex] : []))
        expect(new Set(places).size).toBe(places.length)
        for (const one of expected) {
          const isAlike = (other: ExpectedTransfer) =>
            isTransferOf(one)({ ...transferLog(other), logIndex: 0 })
          const used = expected.filter((other) => isAlike(other) && all.some(isUseOf(other))).length
          const there = all.filter(isTransferOf(one)).length
          const made = proofs.filter((proof, at) => proof.is === 'made' && isAlike(expected[at]!)).length
          expect(made).toBe(Math.min(used, there))
        }
      }),
    )
  })

  test('proves the same transfers in any order of its logs and of the expected payments', () => {
    fc.assert(
      fc.property(
        fc.array(anyLog, { maxLength: 12 }),
        expectedTransfers,
        fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
        (logs, expected, keys) => {
          const all = placed(logs)
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

  test('in which all calls succeeded proves all of their transfers, whatever else it contains', () => {
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
          expect(verdicts(placed([...others, ...calls]), expected)).toEqual(expected.map(() => 'made'))
        },
      ),
    )
  })

  test('that was reverted proves nothing, whatever logs a node reports for it', () => {
    fc.assert(
      fc.property(fc.array(anyLog), expectedTransfers, (logs, expected) => {
        const proofs = proveTransfers(evidence(placed(logs), 'reverted'), expected)
        expect(proofs).toEqual(expected.map(() => ({ is: 'not-yet' })))
      }),
    )
  })

  test('proves, of two equal payments, the one whose transfer follows its own nonce', () => {
    const pays = { token: TOKENS[0], sender: ADDRESSES[0], recipient: ADDRESSES[1], amount: 5n }
    const [first, second] = [word(1), word(2)]
    const expected = [first, second].map((own) => ({ ...pays, by: { nonce: own } }))
    const elsewhere = transferLog({ ...pays, recipient: ADDRESSES[2] })
    const logs = [usedLog(pays, first), elsewhere, usedLog(pays, second), transferLog(pays)]
    expect(verdicts(placed(logs), expected)).toEqual(['used-otherwise', 'made'])
  })

  test('proves a plain transfer only by its own hash', () => {
    const pays = { token: TOKENS[0], sender: ADDRESSES[0], recipient: ADDRESSES[1], amount: 5n }
    const by = (hashes: readonly Hex[]) => [{ ...pays, by: { hashes } }]
    const logs = placed([transferLog(pays)])
    expect(verdicts(logs, by([HASH]))).toEqual(['made'])
    expect(verdicts(logs, by([word(1)]))).toEqual(['not-yet'])
    expect(verdicts([], by([HASH]))).toEqual(['used-otherwise'])
    // A token that keeps a fee has moved another amount.
    expect(verdicts(placed([transferLog({ ...pays, amount: 4n })]), by([HASH]))).toEqual(['used-otherwise'])
  })
})
