import type { BankParty } from './camt-transaction.ts'

/** Information about a line of an MT940 statement (field 86). Each bank chooses its own format. */
export interface MtInformation {
  /** The German business transaction code (three digits), primanota and text key. */
  readonly gvc: string | null
  readonly primanota: string | null
  readonly textKey: string | null
  /** The bank's description of the transaction. */
  readonly posting: string | null
  readonly endToEndId: string | null
  /** The account holder's own reference, such as the name of a file of ours. */
  readonly customerReference: string | null
  readonly mandateId: string | null
  readonly party: BankParty
  /** The remittance text as split by the bank, or the whole field if it has no structure. */
  readonly pieces: readonly string[]
  /** True if consecutive pieces are not separated by a space. */
  readonly isCut: boolean
}

/**
 * German and Polish banks: three digits, then two-digit codes after a separator. Punctuation in ordinary text
 * is not a separator.
 */
const STRUCTURED = /^\s*(\d{3})?\s*([?~<>^@!#$%&*=|;§])\d\d/
const PURPOSE = /^(?:2\d|6[0-3])$/
/** Names of the parts of a SEPA payment in the purpose field. */
const SEPA_PARTS = 'EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC'
/** Parts that follow the payer's text. The text itself may contain the names of the others. */
const AFTER_TEXT: ReadonlySet<string> = new Set(['ABWA', 'ABWE'])
/** Dutch and other banks: code words between slashes. */
const CODE_WORD =
  /\/(TRTP|TRCD|RTRN|EREF|PREF|MARF|CSID|CNTP|REMI|IBAN|BIC|NAME|ORDP|BENM|ULTD|ULTB|PURP|ISDT|CREF|ID|BUSP|SVCL|ADDR|OCMT|CHGS|EXCH)\//

const NOT_PROVIDED = 'NOTPROVIDED'
const NOBODY: BankParty = { name: null, account: null, bic: null }
const UNSTRUCTURED: MtInformation = {
  ...{ gvc: null, primanota: null, textKey: null, posting: null },
  ...{ endToEndId: null, customerReference: null, mandateId: null },
  ...{ party: NOBODY, pieces: [], isCut: false },
}

/** Combines all fields 86 of a line. */
export function informationOf(fields: readonly (readonly string[])[]): MtInformation {
  const structured = fields.find((lines) => STRUCTURED.test(lines.join('')))
  if (structured) return germanOf(structured.join(''))
  const lines = fields.flat()
  const joined = lines.join('')
  if (/^\s*\//.test(joined) && CODE_WORD.test(joined)) return codeWordsOf(joined)
  return { ...UNSTRUCTURED, pieces: lines.map((line) => line.trim()).filter(Boolean) }
}

/**
 * The values of codes. A code that occurs twice identifies nothing, because the payer may have written one of
 * them.
 */
class Values {
  readonly #values = new Map<string, string | null>()

  add(code: string, value: string): void {
    this.#values.set(code, this.#values.has(code) ? null : value)
  }

  /** The value of a code that occurs once, without surrounding blanks. */
  once(...codes: readonly string[]): string | null {
    const values = codes.map((code) => this.#values.get(code)?.trim() || null)
    return values.find((value) => value !== null && value !== NOT_PROVIDED) ?? null
  }

  /** Joins several codes that continue one value. */
  joined(...codes: readonly string[]): string | null {
    if (codes.some((code) => this.#values.get(code) === null)) return null
    return (
      codes
        .map((code) => this.#values.get(code) ?? '')
        .join('')
        .trim() || null
    )
  }
}

function germanOf(text: string): MtInformation {
  const [, gvc = null, separator = '?'] = STRUCTURED.exec(text) ?? []
  const [, ...parts] = text.split(new RegExp(`[${separator === '^' ? '\\^' : separator}](\\d\\d)`))
  const values = new Values()
  const purposes: string[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [code = '', value = ''] = parts.slice(at)
    if (PURPOSE.test(code)) purposes.push(value)
    else values.add(code, value)
  }
  const { sepa, pieces } = sepaPartsOf(purposes)
  return {
    gvc,
    primanota: values.once('10'),
    textKey: values.once('34'),
    posting: values.once('00'),
    endToEndId: sepa.once('EREF'),
    customerReference: sepa.once('KREF'),
    mandateId: sepa.once('MREF'),
    party: {
      name: values.joined('32', '33'),
      account: values.once('31') ?? sepa.once('IBAN'),
      bic: values.once('30') ?? sepa.once('BIC'),
    },
    pieces,
    isCut: true,
  }
}

/**
 * The named parts of the purpose field, and the pieces of its text. A part starts at the beginning of a piece
 * or after a space. Once the text has begun, only an ultimate party ends it.
 */
function sepaPartsOf(purposes: readonly string[]): {
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
    for (let begin = next(); begin; begin = next()) {
      put(rest.slice(0, begin.index))
      close()
      open = { name: begin[1] ?? '', value: '' }
      rest = rest.slice(begin.index + begin[0].length)
    }
    put(rest)
    function next(): RegExpExecArray | null {
      return (open?.name === 'SVWZ' ? after : before).exec(rest)
    }
  }
  close()
  const pieces = texts.some((text) => text.trim() !== '') ? texts : purposes
  return { sepa, pieces: pieces.filter((text) => text.trim() !== '') }

  function put(piece: string): void {
    if (open) open.value += piece
    if (!open || open.name === 'SVWZ') texts.push(piece)
  }
}

function codeWordsOf(text: string): MtInformation {
  const [, ...parts] = text.split(CODE_WORD)
  const values = new Values()
  for (let at = 0; at + 1 < parts.length; at += 2) values.add(parts[at] ?? '', bare(parts[at + 1] ?? ''))
  const [account, bic, name] = (values.once('CNTP') ?? '').split('/')
  const remittance = values.once('REMI') ?? ''
  return {
    ...UNSTRUCTURED,
    posting: values.once('TRTP', 'TRCD'),
    endToEndId: values.once('EREF'),
    customerReference: values.once('PREF'),
    mandateId: values.once('MARF'),
    party: {
      name: name?.trim() || values.once('NAME'),
      account: account?.trim() || values.once('IBAN'),
      bic: bic?.trim() || values.once('BIC'),
    },
    pieces: [bare(remittance.replace(/^(?:USTD|STRD\/[A-Z]{3})\//, ''))].filter(Boolean),
  }
}

/** The value without the slashes that separate it from the next code word. */
function bare(value: string): string {
  return value.replace(/^\/+|\/+$/g, '').trim()
}
