import { describe, expect, test } from 'vitest'
import { parseDocuments } from './documents.ts'

const KEYS = { DOCUMENTS_ACCESS_KEY_ID: 'id', DOCUMENTS_SECRET_ACCESS_KEY: 'secret' }
const LOGIN = { accessKeyId: 'id', secretAccessKey: 'secret' }

test('documents are stored in the data directory for five years by default', () => {
  expect(parseDocuments({})).toEqual({ retentionDays: 1825 })
  expect(parseDocuments({ DOCUMENTS_RETENTION_DAYS: '0' })).toEqual({ retentionDays: 0 })
})

test.each([
  ['s3://docs', 'https://s3.us-east-1.amazonaws.com/docs', 'us-east-1', ''],
  ['s3://docs/a/b?region=eu-central-1', 'https://s3.eu-central-1.amazonaws.com/docs', 'eu-central-1', 'a/b/'],
  ['s3://docs/a/?endpoint=https://minio.example:9000', 'https://minio.example:9000/docs', 'us-east-1', 'a/'],
  ['s3://docs?endpoint=http://127.0.0.1:9000/', 'http://127.0.0.1:9000/docs', 'us-east-1', ''],
])('DOCUMENTS_URL %s selects the bucket %s', (DOCUMENTS_URL, url, region, prefix) => {
  expect(parseDocuments({ DOCUMENTS_URL, ...KEYS })).toEqual({
    retentionDays: 1825,
    bucket: { url, region, prefix, ...LOGIN },
  })
})

describe('the error for invalid document settings names the setting and repeats no secret:', () => {
  test.each([
    ['DOCUMENTS_URL', { DOCUMENTS_URL: 'https://docs.example', ...KEYS }],
    ['DOCUMENTS_URL', { DOCUMENTS_URL: 's3://id:secret@docs', ...KEYS }],
    ['DOCUMENTS_URL', { DOCUMENTS_URL: 's3://docs?endpoint=http://s3.example', ...KEYS }],
    ['DOCUMENTS_URL', { DOCUMENTS_URL: 's3://docs?regoin=eu', ...KEYS }],
    ['DOCUMENTS_URL', { DOCUMENTS_URL: 's3://docs/../x?region=e/u', ...KEYS }],
    ['DOCUMENTS_URL', { DOCUMENTS_URL: 's3://d', ...KEYS }],
    ['DOCUMENTS_URL', KEYS],
    ['DOCUMENTS_ACCESS_KEY_ID', { DOCUMENTS_URL: 's3://docs', DOCUMENTS_SECRET_ACCESS_KEY: 'secret' }],
    ['DOCUMENTS_SECRET_ACCESS_KEY', { DOCUMENTS_URL: 's3://docs', DOCUMENTS_ACCESS_KEY_ID: 'id' }],
    ['DOCUMENTS_RETENTION_DAYS', { DOCUMENTS_RETENTION_DAYS: '-1' }],
    ['DOCUMENTS_RETENTION_DAYS', { DOCUMENTS_RETENTION_DAYS: '36501' }],
  ])('%s in %j', (name, env) => {
    const parsed = parseDocuments(env)
    expect(parsed).toEqual({ problem: expect.stringContaining(name) })
    expect(JSON.stringify(parsed)).not.toContain('secret@')
  })
})
