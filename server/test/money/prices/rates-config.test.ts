import { describe, expect, test } from 'vitest'
import { findFees } from '../../../src/base/pricing/fees.ts'
import { toRatio } from '../../../src/base/pricing/ratios.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ConfigError } from '../../../src/base/settings/config-error.ts'

function readConfigError(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('It was taken')
}

describe('RATES_URL', () => {
  test.each([
    [
      'https://rates.example/usd?key=hunter22',
      {},
      { url: 'https://rates.example/usd?key=hunter22', maxAgeSeconds: 900 },
    ],
    ['http://127.0.0.1:9000', {}, { url: 'http://127.0.0.1:9000/', maxAgeSeconds: 900 }],
    [
      'http://[::1]:9000/x',
      { RATES_MAX_AGE_SECONDS: '86400' },
      { url: 'http://[::1]:9000/x', maxAgeSeconds: 86400 },
    ],
    ['', { RATES_MAX_AGE_SECONDS: '60' }, undefined],
  ])('accepts %s with %j', (RATES_URL, more, rates) => {
    expect(readConfig({ RATES_URL, ...more }).rates).toEqual(rates)
  })

  test.each([
    'http://rates.example/usd?key=hunter22',
    'ftp://rates.example/hunter22',
    'rates.example/hunter22',
    'file:///etc/hunter22',
    'https://user:hunter22@rates.example',
    'https://rates.example/#hunter22',
  ])('refuses %s in one line that does not repeat the key', (RATES_URL) => {
    const message = readConfigError({ RATES_URL })
    expect(message).toMatch(/^RATES_URL must [^\n]+$/)
    expect(message).not.toContain('hunter22')
  })

  test.each(['0', '-1', '1.5', '1e3', 'never', '604801', '99999999999', ' 60'])(
    'refuses a RATES_MAX_AGE_SECONDS of %j',
    (RATES_MAX_AGE_SECONDS) => {
      for (const RATES_URL of ['', 'https://rates.example'])
        expect(readConfigError({ RATES_URL, RATES_MAX_AGE_SECONDS })).toMatch(
          /^RATES_MAX_AGE_SECONDS must be a number from 1 to 604800/,
        )
    },
  )
})

describe('COUNTERSIGN_FEES', () => {
  const entry = { source: 'USD', destination: 'EUR', fixed: '0.25', variable: '0.0075' }

  test('is a list of fees by corridor', () => {
    const { fees } = readConfig({
      COUNTERSIGN_FEES: JSON.stringify([entry, { ...entry, destination: '*', fixed: '0', variable: '0' }]),
    })
    expect(findFees(fees, 'USD', 'EUR')).toEqual({ fixedUsd: toRatio('0.25'), variable: toRatio('0.0075') })
    expect(findFees(fees, 'USD', 'GBP')).toEqual({ fixedUsd: toRatio('0'), variable: toRatio('0') })
    expect(readConfig({ COUNTERSIGN_FEES: '' }).fees).toEqual([])
    expect(readConfig({ COUNTERSIGN_FEES: '[]' }).fees).toEqual([])
  })

  test.each([
    ['nonsense', /^COUNTERSIGN_FEES is not JSON\.$/],
    ['{}', /^COUNTERSIGN_FEES must be a list\.$/],
    ['null', /^COUNTERSIGN_FEES must be a list\.$/],
    ['[null]', /^COUNTERSIGN_FEES\[0\] must be an object\.$/],
    ['[[]]', /^COUNTERSIGN_FEES\[0\] must be an object\.$/],
    ['[{"__proto__":{}}]', /^COUNTERSIGN_FEES is not JSON\.$/],
    [[{}], /^COUNTERSIGN_FEES\[0\]\.source must/],
    [[entry, { ...entry, source: 'EURO' }], /^COUNTERSIGN_FEES\[1\]\.source must be the code .* or "\*"\.$/],
    [[{ ...entry, source: 'toString' }], /^COUNTERSIGN_FEES\[0\]\.source must/],
    [[{ ...entry, destination: ['EUR'] }], /^COUNTERSIGN_FEES\[0\]\.destination must/],
    [[{ ...entry, fixed: 0.25 }], /^COUNTERSIGN_FEES\[0\]\.fixed must .* "0.10"\.$/],
    [[{ ...entry, fixed: '-1' }], /^COUNTERSIGN_FEES\[0\]\.fixed must/],
    [[{ ...entry, fixed: '1000000' }], /^COUNTERSIGN_FEES\[0\]\.fixed must/],
    [[{ ...entry, variable: '0,005' }], /^COUNTERSIGN_FEES\[0\]\.variable must .* "0.005"\.$/],
    [[{ ...entry, variable: '1' }], /^COUNTERSIGN_FEES\[0\]\.variable must/],
    [[{ ...entry, variable: undefined }], /^COUNTERSIGN_FEES\[0\]\.variable must/],
    [[{ ...entry, fee: '1' }], /^COUNTERSIGN_FEES\[0\] has an unknown property "fee"\.$/],
    [
      [entry, { ...entry, source: '*' }, entry],
      /^COUNTERSIGN_FEES\[2\] is for the same corridor as \[0\]\.$/,
    ],
  ])('refuses %j in one line that names the entry', (value, message) => {
    const COUNTERSIGN_FEES = typeof value === 'string' ? value : JSON.stringify(value)
    expect(readConfigError({ COUNTERSIGN_FEES })).toMatch(message)
    expect(readConfigError({ COUNTERSIGN_FEES })).not.toContain('\n')
  })
})
