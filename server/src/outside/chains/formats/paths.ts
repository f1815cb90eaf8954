import { createHash } from 'node:crypto'
import type { ChainRole } from '../../../storage/rows/chain.ts'

/** The role's number in a path. These never change. Wallets have their own seeds. */
const ROLES = { TREASURY: 0, GAS: 1, DEPOSIT: 2 } as const satisfies Partial<Record<ChainRole, number>>
const HARDENED_MAX = 0x7fff_ffff

/**
 * The BIP-32 path of a key derived from the enclave's seed, by rail, role and owner. Each name contributes 62
 * bits of its digest, so no counter is needed, and the same name always leads to the same key. Every step is
 * hardened: a leaked key reveals nothing about the others.
 */
export function pathOf(rail: string, role: keyof typeof ROLES, of: string): string {
  const steps = [44, 60, ...stepsOf(`rail ${rail}`), ROLES[role], ...stepsOf(of)]
  return ['m', ...steps.map((step) => `${step}'`)].join('/')
}

function stepsOf(name: string): [number, number] {
  const digest = createHash('sha256').update(name).digest()
  return [digest.readUInt32BE(0) & HARDENED_MAX, digest.readUInt32BE(4) & HARDENED_MAX]
}
