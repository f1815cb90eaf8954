import type { BankParty } from './camt-transaction.ts'

/** Information about an entry of an MT940 statement (field 86), in the format of the bank. */
export interface MtInformation {
  /** The German business transaction code (three digits), primanota and text key. */
  readonly gvc: string | null
  readonly primanota: string | null
  readonly textKey: string | null
  /** The bank's description of the transaction. */
  readonly posting: string | null
  readonly endToEndId: string | null
  /** The account holder's own reference, such as the message name of one of our files. */
  readonly customerReference: string | null
  readonly mandateId: string | null
  readonly party: BankParty
  /** The remittance text as split by the bank, or the whole field if it has no structure. */
  readonly pieces: readonly string[]
  /** True if the pieces must be joined without spaces. */
  readonly isCut: boolean
}

/**
 * The format of German and Polish banks: three digits, then two-digit codes after a separator. Punctuation in
 * ordinary text is not a separator.
 */
const STRUCTURED = /^\s*(\d{3})?\s*([?~<>^@!#$%&*=|;§])\d\d/
const PURPOSE = /^(?:2\d|6[0-3])$/
/** Names of the parts of a SEPA payment in the purpose field. */
const SEPA_PARTS = 'EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC'
/** Parts that may follow the payer's text. Other part names may be in the text itself. */
const AFTER_TEXT: ReadonlySet<string> = new Set(['ABWA', 'ABWE'])
/** The format of Dutch and other banks: code words between slashes. */
const CODE_WORD =
  /\/(TRTP|TRCD|RTRN|EREF|PREF|MARF|CSID|CNTP|REMI|IBAN|BIC|NAME|ORDP|BENM|ULTD|ULTB|PURP|ISDT|CREF|ID|BUSP|SVCL|ADDR|OCMT|CHGS|EXCH)\//

const NOT_PROVIDED = 'NOTPROVIDED'
const UNKNOWN_PARTY: BankParty = { name: null, account: null, bic: null }
const UNSTRUCTURED: MtInformation = {
  ...{ gvc: null, primanota: null, textKey: null, posting: null },
  ...{ endToEndId: null, customerReference: null, mandateId: null },
  ...{ party: UNKNOWN_PARTY, pieces: [], isCut: false },
}

/** Parses all fields 86 of an entry. */
export function parseInformation(fields: readonly (readonly string[])[]): MtInformation {
  const structured = fields.find((lines) => STRUCTURED.test(lines.join('')))
  if (structured) return parseGerman(structured.join(''))
  const lines = fields.flat()
  const joined = lines.join('')
  if (/^\s*\//.test(joined) && CODE_WORD.test(joined)) return parseCodeWords(joined)
  return { ...UNSTRUCTURED, pieces: lines.map((line) => line.trim()).filter(Boolean) }
}

/**
 * The values of codes. A repeated code identifies nothing, because the payer may have written one of its
 * values.
 */
class Values {
  readonly #values = new Map<string, string | null>()

  add(code: string, value: string): void {
    this.#values.set(code, this.#values.has(code) ? null : value)
  }

  /** Finds the value of the first code that occurs only once, without surrounding blanks. */
  findOnce(...codes: readonly string[]): string | null {
    const values = codes.map((code) => this.#values.get(code)?.trim() || null)
    return values.find((value) => value !== null && value !== NOT_PROVIDED) ?? null
  }

  /** Joins the values of codes that continue each other. */
  join(...codes: readonly string[]): string | null {
    if (codes.some((code) => this.#values.get(code) === null)) return null
    return (
      codes
        .map((code) => this.#values.get(code) ?? '')
        .join('')
        .trim() || null
    )
  }
}

function parseGerman(text: string): MtInformation {
  const [, gvc = null, separator = '?'] = STRUCTURED.exec(text) ?? []
  const [, ...parts] = text.split(new RegExp(`[${separator === '^' ? '\\^' : separator}](\\d\\d)`))
  const values = new Values()
  const purposes: string[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [code = '', value = ''] = parts.slice(at)
    if (PURPOSE.test(code)) purposes.push(value)
    else values.add(code, value)
  }
  const { sepa, pieces } = splitSepaParts(purposes)
  return {
    gvc,
    primanota: values.findOnce('10'),
    textKey: values.findOnce('34'),
    posting: values.findOnce('00'),
    endToEndId: sepa.findOnce('EREF'),
    customerReference: sepa.findOnce('KREF'),
    mandateId: sepa.findOnce('MREF'),
    party: {
      name: values.join('32', '33'),
      account: values.findOnce('31') ?? sepa.findOnce('IBAN'),
      bic: values.findOnce('30') ?? sepa.findOnce('BIC'),
    },
    pieces,
    isCut: true,
  }
}

/**
 * Splits the purpose field into its named parts and the pieces of its text. A part starts at the beginning of
 * a piece or after a space. After the text has begun, only an ultimate party can end it.
 */
function splitSepaParts(purposes: readonly string[]): {
  readonly sepa: Values
  readonly pieces: readonly string[]
} {
  const before = new RegExp(`(?:^|\\s)(${SEPA_PARTS})\\+`)
  const after = new RegExp(`^(${[...AFTER_TEXT].join('|')})\\+`)
  const sepa = new Values()
  const texts: string[] = []
  let open: { readonly name: string; value: string } | undefined
  const close = () => open && sepa.add(open.name, open.value)
  for (const purpose of purposes) {
    let rest = purpose
    for (let start = findNext(); start; start = findNext()) {
      addPiece(rest.slice(0, start.index))
      close()
      open = { name: start[1] ?? '', value: '' }
      rest = rest.slice(start.index + start[0].length)
    }
    addPiece(rest)
    function findNext(): RegExpExecArray | null {
      return (open?.name === 'SVWZ' ? after : before).exec(rest)
    }
  }
  close()
  const pieces = texts.some((text) => text.trim() !== '') ? texts : purposes
  return { sepa, pieces: pieces.filter((text) => text.trim() !== '') }

  function addPiece(piece: string): void {
    if (open) open.value += piece
    if (!open || open.name === 'SVWZ') texts.push(piece)
  }
}

function parseCodeWords(text: string): MtInformation {
  const [, ...parts] = text.split(CODE_WORD)
  const values = new Values()
  for (let at = 0; at + 1 < parts.length; at += 2)
    values.add(parts[at] ?? '', trimSlashes(parts[at + 1] ?? ''))
  const [account, bic, name] = (values.findOnce('CNTP') ?? '').split('/')
  const remittance = values.findOnce('REMI') ?? ''
  return {
    ...UNSTRUCTURED,
    posting: values.findOnce('TRTP', 'TRCD'),
    endToEndId: values.findOnce('EREF'),
    customerReference: values.findOnce('PREF'),
    mandateId: values.findOnce('MARF'),
    party: {
      name: name?.trim() || values.findOnce('NAME'),
      account: account?.trim() || values.findOnce('IBAN'),
      bic: bic?.trim() || values.findOnce('BIC'),
    },
    pieces: [trimSlashes(remittance.replace(/^(?:USTD|STRD\/[A-Z]{3})\//, ''))].filter(Boolean),
  }
}

/** Removes the slashes that separate a value from the next code word. */
function trimSlashes(value: string): string {
  return value.replace(/^\/+|\/+$/g, '').trim()
}
