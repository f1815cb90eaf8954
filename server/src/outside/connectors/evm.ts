import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { hasEvmChecksum } from '../../base/formats/addresses.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import { isSafeWay } from '../../base/settings/safe-url.ts'
import { NodeError } from '../../kernel/ports/chain-nodes.ts'
import { readFacts, WrongChain } from '../chains/chain-facts.ts'
import type { EvmRail } from '../chains/evm-rail.ts'
import { createFaucet } from '../chains/faucet.ts'
import { createChainNodes } from '../chains/nodes/chain-nodes.ts'
import { createEvmRail } from '../chains/rail.ts'
import { createRailConfigError } from './config-problem.ts'
import type { Loading } from './loading.ts'

/** A local chain makes blocks on demand, and its time may be moved forward, so the head may have any age. */
const ANY_TIME = {
  headAgeSecondsMax: Number.POSITIVE_INFINITY,
  headAheadSecondsMax: Number.POSITIVE_INFINITY,
} as const

/**
 * Opens the `evm` rail of a well-formed entry. Reads the chain id and the tokens from its nodes; if none
 * responds, the rail starts without them and retries. Throws ConfigError if a response contradicts the entry.
 */
export async function openEvmRail(entry: EvmRailValue, loading: Loading): Promise<EvmRail> {
  const fault = findEntryFault(entry)
  if (fault !== undefined) throw createRailConfigError(entry, fault)
  const { environment, clock, enclave, log, onNodeAlert } = loading
  const rpcUrls = entry.rpcs.map((rpc) => parseNodeUrl(entry, rpc, environment))
  // Otherwise a single node could agree with itself.
  if (new Set(rpcUrls).size < rpcUrls.length)
    throw createRailConfigError(entry, 'rpcs: two nodes have the same URL')
  let otherChain: string | undefined
  const options = {
    chainId: entry.chainId,
    clock,
    log,
    ...(rpcUrls.every((url) => url.startsWith('http:')) ? ANY_TIME : {}),
  }
  const nodes = createChainNodes({
    ...options,
    rpcUrls,
    agreement: entry.agreement === 2 ? 2 : 1,
    onAlert: ({ kind, node, detail }) => {
      if (kind === 'OTHER_CHAIN') otherChain ??= `the node ${node} is on another chain: ${detail}`
      onNodeAlert(entry.name)
    },
  })
  const rail = createEvmRail(entry, nodes, enclave, {
    clock,
    followedBlock: await loading.followedBlock(entry.name),
    faucet:
      entry.faucet === undefined
        ? undefined
        : createFaucet(entry, entry.faucet, requireValue(rpcUrls[0], 'node of a chain')),
    nodesByHost: rpcUrls.map((url) => ({
      host: new URL(url).host,
      nodes: createChainNodes({ ...options, rpcUrls: [url], agreement: 1 }),
    })),
  })
  try {
    rail.facts = await readFacts(entry, nodes)
  } catch (error) {
    if (error instanceof WrongChain) throw createRailConfigError(entry, error.message)
    if (!(error instanceof NodeError)) throw error
  }
  if (otherChain !== undefined) throw createRailConfigError(entry, otherChain)
  return rail
}

/** Returns what is wrong with an entry. Undefined if it is valid. */
function findEntryFault({
  network,
  serves,
  tokens,
  sweeps = [],
  lowWater,
  rpcs,
  agreement = 1,
  faucet,
}: EvmRailValue): string | undefined {
  const misspelled = tokens.find(({ address }) => !hasEvmChecksum(address))
  if (misspelled) return `tokens: the checksum of ${misspelled.address} is wrong`
  if (faucet !== undefined && !hasEvmChecksum(faucet)) return `faucet: the checksum of ${faucet} is wrong`
  const currencies = tokens.map(({ currency }) => currency)
  if (new Set(currencies).size < currencies.length) return 'tokens: two contracts have the same currency'
  const type = `${network}_WALLET`
  for (const { direction, accountTypes, currencies: served } of serves) {
    if (direction === 'PULL') return 'serves: a chain cannot pull'
    if (accountTypes.some((name) => name !== type))
      return `serves: accountTypes of ${network} can contain only ${type}`
    const unknown = served.find((currency) => !currencies.includes(currency))
    if (unknown !== undefined) return `serves: tokens has no contract for ${unknown}`
  }
  const unmarked = lowWater?.treasury?.find(({ currency }) => !currencies.includes(currency))
  if (unmarked) return `lowWater: tokens has no contract for ${unmarked.currency}`
  const unswept = sweeps.find(({ currency }) => !currencies.includes(currency))
  if (unswept) return `sweeps: tokens has no contract for ${unswept.currency}`
  const plain = sweeps.find(({ currency }) =>
    tokens.some((token) => token.currency === currency && token.standard === 'ERC20'),
  )
  if (plain)
    return `sweeps: ${plain.currency} has no signed transfers, so its deposit addresses would need coin for gas`
  return rpcs.length < agreement
    ? 'agreement: two nodes must agree, but rpcs has only one. Add a second node, or set agreement to 1'
    : undefined
}

/** Parses a node's URL. Error messages do not repeat it, because it may contain a key. */
function parseNodeUrl(
  entry: EvmRailValue,
  rpc: EvmRailValue['rpcs'][number],
  environment: Loading['environment'],
): string {
  const text = rpc.type === 'url' ? rpc.url : (environment[rpc.env] ?? '')
  if (URL.canParse(text) && isSafeWay(new URL(text))) return new URL(text).href
  const source = rpc.type === 'url' ? 'rpcs: url' : `the environment variable ${rpc.env}`
  throw createRailConfigError(
    entry,
    `${source} must be a URL that begins with https:// (http:// only for this machine)`,
  )
}
