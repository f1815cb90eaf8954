/** The corrected data in a notification of change, by field. */
export interface CorrectedParts {
  readonly account?: string
  readonly routingNumber?: string
  readonly name?: string
  readonly transactionCode?: string
  readonly individualId?: string
  readonly companyName?: string
  readonly companyId?: string
}

type Part = readonly [name: keyof CorrectedParts, start: number, end: number]

/** The columns of the corrected data, by reason. C13 and C14 correct nothing. */
const PARTS: Readonly<Record<string, readonly Part[]>> = {
  C01: [['account', 0, 17]],
  C02: [['routingNumber', 0, 9]],
  C03: [
    ['routingNumber', 0, 9],
    ['account', 12, 29],
  ],
  C04: [['name', 0, 22]],
  C05: [['transactionCode', 0, 2]],
  C06: [
    ['account', 0, 17],
    ['transactionCode', 20, 22],
  ],
  C07: [
    ['routingNumber', 0, 9],
    ['account', 9, 26],
    ['transactionCode', 26, 28],
  ],
  C08: [['routingNumber', 0, 29]],
  C09: [['individualId', 0, 22]],
  C10: [['companyName', 0, 16]],
  C11: [['companyId', 0, 10]],
  C12: [
    ['companyName', 0, 16],
    ['companyId', 19, 29],
  ],
}

/** Splits the corrected data into fields. Banks that ignore the columns separate the fields with spaces. */
export function splitCorrection(reason: string, corrected: string): CorrectedParts {
  const parts = PARTS[reason] ?? []
  const alignedParts = parts.map(([name, start, end]) => [name, corrected.slice(start, end).trim()] as const)
  const words = corrected.trim().split(/\s+/)
  const outside = parts.reduce((text, [, start, end]) => blankOut(text, start, end), corrected)
  const isAligned = outside.trim() === '' && alignedParts.every(([name, text]) => isPlausible(name, text))
  const found =
    isAligned || words.length !== parts.length
      ? alignedParts
      : parts.map(([name], index) => [name, words[index] ?? ''] as const)
  return Object.fromEntries(found.filter(([, text]) => text !== ''))
}

function blankOut(text: string, start: number, end: number): string {
  const part = text.slice(start, end)
  return text.slice(0, start) + ' '.repeat(part.length) + text.slice(end)
}

/** True if a field may have this value. Only names contain spaces. */
function isPlausible(name: keyof CorrectedParts, text: string): boolean {
  if (name === 'name' || name === 'companyName') return text !== ''
  return name === 'transactionCode' ? /^\d\d$/.test(text) : /^\S+$/.test(text)
}
