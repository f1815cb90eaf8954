import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { WALLET_PATH } from '../../base/crypto/evm/keys.ts'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import type { ChainNodes } from '../../kernel/ports/chain-nodes.ts'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { OpenedDepositAccount } from '../../kernel/ports/rail.ts'
import type { ChainToken, RailChain, RecordContext } from '../../kernel/ports/rail-chain.ts'
import { createChainNotReachedError } from '../../money/rails/choose-rail.ts'
import { findNextOpening } from '../../money/rails/opening-hours.ts'
import { listIncomingCurrencies } from '../../money/rails/routing.ts'
import { insert } from '../../storage/commit/writes.ts'
import { buildAddressRow } from './address-rows.ts'
import { buildColdStorageCalls, createColdStorageRail } from './cold-storage.ts'
import { type EvmRail, listGasNames, requireFollowedBlock, TREASURY } from './evm-rail.ts'
import type { Faucet } from './faucet.ts'
import { pathOf } from './formats/paths.ts'
import { deriveAddressId } from './ids.ts'
import { findPayeeFault } from './payees.ts'
import { enqueuePayment } from './queue.ts'
import { buildRotationCalls } from './rotation.ts'
import { buildStatement, readBalances } from './statement.ts'
import { createTransferFees } from './transfer-fee.ts'

interface RailParts {
  readonly clock: () => Date
  readonly followedBlock: bigint | undefined
  readonly faucet?: Faucet | undefined
  readonly nodesByHost?: EvmRail['nodesByHost']
}

/** Creates the rail of an entry whose format and addresses have been validated. */
export function createEvmRail(
  entry: EvmRailValue,
  nodes: ChainNodes,
  enclave: Enclave,
  { clock, followedBlock, faucet, nodesByHost = [] }: RailParts,
): EvmRail {
  const { name, hours, isRetired = false, lateDeposits = 'RETURN' } = entry
  const rail: EvmRail = {
    name,
    entry,
    nodes,
    nodesByHost,
    faucet,
    treasury: enclave.chainAddress(pathOf(name, 'TREASURY', TREASURY)),
    treasuryId: deriveAddressId(name, TREASURY),
    retired: [],
    gas: listGasNames(entry).map((account) => enclave.chainAddress(pathOf(name, 'GAS', account))),
    facts: undefined,
    lowBalances: [],
    levels: [],
    followedBlock,
    chain: {
      ...buildChain(entry, enclave, () => rail),
      get treasury() {
        return rail.treasury
      },
      transferFee: createTransferFees(entry, nodes, clock),
      ...(faucet ? { mint: faucet.mint } : {}),
    },
    coldStorage: createColdStorageRail(entry, () => rail),
    isRetired,
    lateDeposits,
    currenciesIn: listIncomingCurrencies(entry),
    opensAt: (now) => (hours ? findNextOpening(hours, now) : now),
    enqueue: (payment) => enqueuePayment(rail, payment),
    findPayeeFault: (read, account) => findPayeeFault(rail, read, account),
    send: refuseDirectPayment,
    pull: refuseDirectPayment,
    pullable: async () => undefined,
    balances: (from) => readBalances(rail, from, 'ours'),
    statement: (date, currency, from) => buildStatement(rail, date, currency, from, 'ours'),
    openDepositAccount: async (from, request) => openDepositAccount(rail, from, request.id),
  }
  return rail
}

async function refuseDirectPayment(): Promise<never> {
  throw new Error('Payments on a chain must be queued')
}

function buildChain(
  entry: EvmRailValue,
  enclave: Enclave,
  rail: () => EvmRail,
): Omit<RailChain, 'transferFee' | 'treasury'> {
  const { name, network, chainId, tokens } = entry
  return {
    network,
    chainId,
    isReached: () => rail().followedBlock !== undefined,
    lowBalances: () => rail().lowBalances,
    levels: () => rail().levels,
    token: (currency) => getToken(rail(), tokens, currency),
    newAddress(from, ownerId) {
      requireFollowedBlock(rail())
      const path = pathOf(name, 'DEPOSIT', ownerId)
      const address = enclave.chainAddress(path)
      const row = buildAddressRow(name, from, { purpose: ownerId, address, role: 'DEPOSIT', path, ownerId })
      return { address: toChecksumAddress(address.slice(2)), writes: [insert('chain_addresses', row)] }
    },
    ...buildColdStorageCalls(rail),
    ...buildRotationCalls(enclave, rail),
    walletAddressId: (ownerId) => deriveAddressId(name, ownerId),
    walletAddress(from, ownerId, address) {
      requireFollowedBlock(rail())
      const row = buildAddressRow(name, from, {
        purpose: ownerId,
        address,
        role: 'WALLET',
        path: WALLET_PATH,
        ownerId,
      })
      return insert('chain_addresses', row)
    },
  }
}

function getToken({ facts }: EvmRail, tokens: EvmRailValue['tokens'], currency: string): ChainToken {
  const found = tokens.find((token) => token.currency === currency)
  if (!found) throw new Error(`The rail has no token for ${currency}`)
  const address = toLowerHex(found.address)
  const tokenFacts = facts?.tokens[address]
  if (!tokenFacts) throw createChainNotReachedError()
  const { domain } = tokenFacts
  return {
    currency,
    address,
    standard: found.standard,
    domain: domain && { name: domain.name, version: domain.version },
  }
}

/**
 * Opens a new address for the owner's deposits. Each quote gets its own address, so no pool per currency is
 * needed.
 */
function openDepositAccount(rail: EvmRail, from: RecordContext, ownerId: string): OpenedDepositAccount {
  const { address, writes } = rail.chain.newAddress(from, ownerId)
  const accountInfo: OpenedDepositAccount['accountInfo'] = {
    accountType: `${rail.entry.network}_WALLET`,
    address,
    assetType: 'USDC',
  }
  return { railReference: address.toLowerCase(), matching: 'ACCOUNT', accountInfo, writes }
}
