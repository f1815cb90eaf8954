/** The EVM chains of the API, as `cryptoNetwork` names them. The account type of a wallet there is `<NETWORK>_WALLET`. */
export const EVM_NETWORKS = ['ETHEREUM', 'BASE', 'POLYGON'] as const

export type EvmNetwork = (typeof EVM_NETWORKS)[number]
