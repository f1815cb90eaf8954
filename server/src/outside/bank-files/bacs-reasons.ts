/** Descriptions of the reasons in Bacs reports. */

type Reasons = Readonly<Record<string, string>>

/** Reasons for unpaid direct debits. */
const ARUDD: Reasons = {
  0: 'Refer to the payer',
  1: 'The payer has canceled the instruction',
  2: 'The payer has died',
  3: 'The account was transferred to another bank',
  4: 'The payer disputes the advance notice',
  5: 'The account does not exist',
  6: 'The instruction does not exist',
  7: 'The amount differs from the advance notice',
  8: 'The amount is not due yet',
  9: 'The debit was presented too late',
  A: 'The service user is a different one',
  B: 'The account is closed',
}

/** Reasons for unapplied credits. */
const ARUCS: Reasons = {
  0: 'The account details are not valid',
  2: 'The beneficiary has died',
  3: 'The account was transferred to another bank',
  5: 'The account does not exist',
  B: 'The account is closed',
  C: 'The remitter requested the return',
}

/** Reasons in advices about mandates. */
const ADDACS: Reasons = {
  0: 'The bank has canceled the instruction: refer to the payer',
  1: 'The payer has canceled the instruction',
  2: 'The payer has died',
  3: 'The account was transferred to another bank',
  B: 'The account is closed',
  C: 'The account was transferred to another branch',
  D: 'The payer disputes the advance notice',
  E: 'The instruction was amended',
  R: 'The instruction was reinstated',
}

/** Reasons for returned instructions. */
const AUDDIS: Reasons = {
  1: 'The payer has canceled the instruction',
  2: 'The payer has died',
  3: 'The account was transferred to another bank',
  5: 'The account does not exist',
  6: 'The instruction does not exist',
  B: 'The account is closed',
  C: 'The account was transferred to another branch',
  F: 'The account type is not valid',
  G: 'The account does not accept direct debits',
  H: 'The instruction has expired',
  I: 'The payer reference is not unique',
  K: 'The bank has canceled the instruction',
  L: 'The account details are wrong',
  M: 'The transaction code does not match the service user',
  N: 'The branch does not allow the instruction',
  O: 'The reference is not valid',
  P: "The payer's name is missing",
  Q: 'The service user name is missing',
}

export const BACS_REASONS = { ARUDD, ARUCS, ADDACS, AUDDIS } as const
export type BacsReport = keyof typeof BACS_REASONS

/** Codes of ARUDD reasons by text, for reports that contain only the text. */
const ARUDD_CODES: Reasons = {
  'REFER TO PAYER': '0',
  'INSTRUCTION CANCELLED': '1',
  'PAYER DECEASED': '2',
  'ACCOUNT TRANSFERRED': '3',
  'ADVANCE NOTICE DISPUTED': '4',
  'NO ACCOUNT': '5',
  'NO INSTRUCTION': '6',
  'AMOUNT DIFFERS': '7',
  'AMOUNT NOT YET DUE': '8',
  'PRESENTATION OVERDUE': '9',
  'SERVICE USER DIFFERS': 'A',
  'ORIGINATOR DIFFERS': 'A',
  'ACCOUNT CLOSED': 'B',
}
const ARUCS_CODES: Reasons = {
  'INVALID DETAILS': '0',
  'BENEFICIARY DECEASED': '2',
  'ACCOUNT TRANSFERRED': '3',
  'NO ACCOUNT': '5',
  'ACCOUNT CLOSED': 'B',
  'REQUESTED BY REMITTER': 'C',
  'REQUESTED BY ORIGINATOR': 'C',
}
const MESSAGE_CHARACTERS_MAX = 500

/**
 * Describes a reason: its name, such as `ARUDD-1`, and a message such as `ARUDD-1: The payer has canceled the
 * instruction; INSTRUCTION CANCELLED (1012)`.
 */
export function readBacsReason(
  report: BacsReport,
  bankCode: string,
  text = '',
): { readonly name: string; readonly message: string } {
  const code = findCode(report, bankCode, text)
  const description = code === undefined ? undefined : BACS_REASONS[report][code]
  const bankText = [text, code === bankCode ? '' : `(${bankCode})`].filter(Boolean).join(' ')
  const meaning = [description, bankText].filter(Boolean).join('; ')
  const name = code === undefined ? report : `${report}-${code}`
  const message = `${name}: ${meaning || 'The bank gave no known reason'}`
  return { name, message: message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed() }
}

/** The letter or digit that identifies a reason. Undefined if neither the code nor the text is known. */
function findCode(report: BacsReport, bankCode: string, text: string): string | undefined {
  if (Object.hasOwn(BACS_REASONS[report], bankCode)) return bankCode
  const codes = report === 'ARUCS' ? ARUCS_CODES : ARUDD_CODES
  const line = text.toUpperCase().replaceAll(/\s+/g, ' ').trim()
  return report.startsWith('ARU') && Object.hasOwn(codes, line) ? codes[line] : undefined
}
