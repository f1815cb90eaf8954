import type { JobKind, JobRow } from './job.ts'

/** A new job, with the rows known to its creator, by table and id (see `KnownRows`). */
export interface NewJob<Kind extends JobKind = JobKind> extends JobRow<Kind> {
  readonly known?: ReadonlyMap<string, object | null>
}
