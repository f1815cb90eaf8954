/** Release 0.1.0 read here which functions the database has, and did not start where they had changed. */
export const endOf01 = 'DROP TABLE IF EXISTS sql_functions'
