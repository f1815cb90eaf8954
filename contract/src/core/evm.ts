/** The API's EVM chains, as in `cryptoNetwork`. The account type of a wallet on one is `<NETWORK>_WALLET`. */
export const EVM_NETWORKS = ['ETHEREUM', 'BASE', 'POLYGON'] as const

export type EvmNetwork = (typeof EVM_NETWORKS)[number]
