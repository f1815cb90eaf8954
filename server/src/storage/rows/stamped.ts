export interface Stamped {
  created_at: Date
  updated_at: Date
}
