const CHARACTERS_MAX = { name: 25, city: 15, reference: 25 }
const POLYNOMIAL = 0x1021

/**
 * A static PIX code to copy, or to show as a QR code (EMV merchant-presented QR, according to the Banco
 * Central's manual). It pays in reais to a random key, and is identified by the reference's letters and
 * digits.
 */
export function buildPixCode(key: string, reference: string): string {
  const account = formatField('00', 'br.gov.bcb.pix') + formatField('01', key)
  const identifier = reference.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, CHARACTERS_MAX.reference)
  const text = [
    formatField('00', '01'),
    formatField('26', account),
    formatField('52', '0000'),
    formatField('53', '986'),
    formatField('58', 'BR'),
    formatField('59', 'Countersign Sandbox'.slice(0, CHARACTERS_MAX.name)),
    formatField('60', 'SANDBOX'.slice(0, CHARACTERS_MAX.city)),
    formatField('62', formatField('05', identifier || '***')),
    '6304',
  ].join('')
  return text + computeCrc16(text)
}

/** Formats a field as a two-digit id, a two-digit length, and the value. */
function formatField(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`
}

/** CRC-16/CCITT-FALSE as four hexadecimal digits. */
export function computeCrc16(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++)
      crc = ((crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) >>> 0) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
