import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildMarkerContent, isMarker, readDigest, toMarkerName } from './markers.ts'

test.each([
  ['{file}.ok', 'A.xml', 'A.xml.ok'],
  ['{stem}.ok', 'A.b.xml', 'A.b.ok'],
  ['{stem}.ok', 'A', 'A.ok'],
  ['done-{file}', 'A.xml', 'done-A.xml'],
])('the marker pattern %s gives the file %s the marker %s', (name, file, marker) => {
  expect(toMarkerName({ name }, file)).toBe(marker)
  expect(isMarker({ name }, marker)).toBe(true)
  expect(isMarker({ name }, file)).toBe(false)
})

test('the checksum in a marker file is read back, and an incomplete checksum is ignored', () => {
  const digest = fc.stringMatching(/^[0-9a-f]{64}$/)
  fc.assert(
    fc.property(digest, fc.integer({ min: 0, max: 63 }), (one, length) => {
      const text = buildMarkerContent({ name: '{file}.ok', content: 'SHA256' }, 'A.xml', one)
      expect(readDigest(text)).toBe(one)
      expect(readDigest(text.toUpperCase())).toBe(one)
      expect(readDigest(text.slice(0, length))).toBeUndefined()
      expect(readDigest(`${one}0`)).toBeUndefined()
    }),
  )
})

test('a marker file without a checksum is empty', () => {
  expect(buildMarkerContent({ name: '{file}.ok' }, 'A.xml', 'f'.repeat(64))).toBe('')
})
