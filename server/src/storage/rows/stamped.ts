/** When a row was created and last changed. */
export interface Stamped {
  created_at: Date
  updated_at: Date
}
