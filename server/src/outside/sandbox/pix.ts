const CHARACTERS_MAX = { name: 25, city: 15, reference: 25 }
const POLYNOMIAL = 0x1021

/**
 * A static PIX code to copy, or to show as a QR code (EMV merchant-presented QR, according to the Banco
 * Central's manual). It pays in reais to a random key, and is identified by the reference's letters and
 * digits.
 */
export function pixCode(key: string, reference: string): string {
  const account = field('00', 'br.gov.bcb.pix') + field('01', key)
  const identifier = reference.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, CHARACTERS_MAX.reference)
  const text = [
    field('00', '01'),
    field('26', account),
    field('52', '0000'),
    field('53', '986'),
    field('58', 'BR'),
    field('59', 'Countersign Sandbox'.slice(0, CHARACTERS_MAX.name)),
    field('60', 'SANDBOX'.slice(0, CHARACTERS_MAX.city)),
    field('62', field('05', identifier || '***')),
    '6304',
  ].join('')
  return text + crc16(text)
}

/** A field: a two-digit id, a two-digit length, and the value. */
function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`
}

/** CRC-16/CCITT-FALSE as four hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++)
      crc = ((crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) >>> 0) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
