import { createHash } from 'node:crypto'
import type { ChainRole } from '../../../storage/rows/chain.ts'

/**
 * The number of each role in a path. These numbers never change. Wallets are absent because they have their
 * own seeds.
 */
const ROLES = { TREASURY: 0, GAS: 1, DEPOSIT: 2 } as const satisfies Partial<Record<ChainRole, number>>
const HARDENED_MAX = 0x7fff_ffff

/**
 * The BIP-32 path of a key derived from the enclave's seed, by rail, role and owner. Each name contributes 62
 * bits of its digest, so no counter is needed, and the same name always leads to the same key. Every step is
 * hardened: a leaked key reveals nothing about the others.
 */
export function pathOf(rail: string, role: keyof typeof ROLES, owner: string): string {
  const steps = [44, 60, ...toSteps(`rail ${rail}`), ROLES[role], ...toSteps(owner)]
  return ['m', ...steps.map((step) => `${step}'`)].join('/')
}

function toSteps(name: string): [number, number] {
  const digest = createHash('sha256').update(name).digest()
  return [digest.readUInt32BE(0) & HARDENED_MAX, digest.readUInt32BE(4) & HARDENED_MAX]
}
