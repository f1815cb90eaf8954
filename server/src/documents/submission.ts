import type { Write } from '../db/commit/writes.ts'
import type { Op } from '../op/app.ts'
import type { CaseDocument } from '../verifications/requirements.ts'
export function submitDocuments(_: Op, __: readonly CaseDocument[]): Write[] {
  return []
}
export function releaseDocuments(_: Op, __: readonly CaseDocument[], ___: ReadonlySet<string>): Write[] {
  return []
}
export async function findDocumentsOf(_: Op, __: string): Promise<CaseDocument[]> {
  return []
}
