/**
 * The canonical spelling of chain addresses, for looking them up in screening lists. The same address can be
 * written in many ways, and one that cannot be read is never clear.
 */

/** Invisible characters and spaces. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Mn}\p{Default_Ignorable_Code_Point}]/gu
const PRINTABLE = /^[!-~]+$/
/** CAIP-10 (`eip155:1:0x…`), EIP-3770 (`eth:0x…`) and payment addresses (`ethereum:pay-0x…@1?value=1`). */
const PREFIX = /^(?:[a-z][a-z0-9+.-]*:){1}(?:[a-z0-9-]+:)?(?:\/\/)?(?:pay-)?/i
const SUFFIX = /[@?/#].*$/
const EVM = /^(?:0x)?([0-9a-f]{40})$/i
const BECH32 = /^(?:spark(?:rt|t|s|l)?|sp(?:rt|t|s|l)?|ln[a-z0-9]+|bc|tb)1[0-9a-z]+$/
const NAME_AT_HOST = /^[^@\s]+@[^@\s]+$/
const BASE58_LIKE = /^[0-9A-Za-z]{26,128}$/
const HAS_EVM_DIGITS = /[0-9a-f]{40}/i
const EVM_NETWORKS: ReadonlySet<string> = new Set(['EVM', 'ETHEREUM', 'BASE', 'POLYGON'])

/** Removes invisible characters and normalizes letters. */
function toVisibleText(text: string): string {
  return text.normalize('NFKC').replace(INVISIBLE, '')
}

function removePrefix(text: string): string {
  return text.replace(PREFIX, '').replace(SUFFIX, '')
}

function readEvmAddress(text: string): string | undefined {
  const digits = (EVM.exec(text) ?? EVM.exec(removePrefix(text)))?.[1]
  return digits && `0x${digits.toLowerCase()}`
}

/** True if a string of unknown network contains the digits of an EVM address. */
export function mayBeEvmAddress(text: string): boolean {
  return HAS_EVM_DIGITS.test(toVisibleText(text))
}

/**
 * The spelling used in lists. `network` is as for screenings, and absent for a line of a list, which names no
 * network. Undefined if the string cannot be read as an address of that network.
 */
export function toScreenedAddress(text: string, network?: string): string | undefined {
  const visibleText = toVisibleText(text)
  if (!PRINTABLE.test(visibleText)) return undefined
  const evm = readEvmAddress(visibleText)
  if (network !== undefined && EVM_NETWORKS.has(network)) return evm
  if (evm !== undefined) return evm
  if (HAS_EVM_DIGITS.test(visibleText) && /0x/i.test(visibleText)) return undefined
  const lower = visibleText.toLowerCase()
  if (NAME_AT_HOST.test(visibleText) && !PREFIX.test(visibleText)) return lower
  const bare = removePrefix(visibleText)
  const bareLower = bare.toLowerCase()
  if (BECH32.test(bareLower)) return bare === bareLower || bare === bare.toUpperCase() ? bareLower : undefined
  if (NAME_AT_HOST.test(visibleText.replace(PREFIX, ''))) return visibleText.replace(PREFIX, '').toLowerCase()
  if (network === undefined) return bare === '' ? undefined : bare
  return BASE58_LIKE.test(bare) ? bare : undefined
}
