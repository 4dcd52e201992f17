/* Two files and one reader. */
#include "roles/mounted_account.h"

#include "base/slice.h"
#include "base/util.h"
#include "client/file_reader.h"
#include <stdlib.h>

enum { TOKEN, AUTHORITY };

struct mounted_account {
        struct loop *loop;
        struct file_reader *reader;
        struct loop_timer timer; /* of a read that a late one stands in the way of */
        struct file_content contents[FILE_READER_MAX];
        void (*read)(void *context);
        void *context;
        bool is_awaited; /* read has to run */
};

static void mounted_account_tell(struct mounted_account *account) {
        if (!account->is_awaited)
                return;
        account->is_awaited = false;
        account->read(account->context);
}

/* Takes the contents out. */
static void on_account_read(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct mounted_account *account = context;

        for (size_t i = 0; i < FILE_READER_MAX; i++) {
                file_content_wipe(&account->contents[i]);
                account->contents[i] = contents[i];
                contents[i] = (struct file_content){ 0 };
        }
        mounted_account_tell(account);
}

static void on_account_late(void *context) {
        mounted_account_tell(context);
}

struct mounted_account *mounted_account_new(struct loop *loop, void (*read)(void *context),
                                            void *context) {
        struct mounted_account *account = xcalloc(1, sizeof(*account));

        account->loop = loop;
        account->read = read;
        account->context = context;
        account->timer = (struct loop_timer){ .fired = on_account_late, .context = account };
        account->reader = file_reader_new(
                &(struct file_reader_config){
                        .paths = { [TOKEN] = MOUNTED_TOKEN, [AUTHORITY] = MOUNTED_AUTHORITY },
                        .read = on_account_read,
                        .late = on_account_late,
                        .context = account },
                loop);
        err_set(&account->contents[TOKEN].err, BERTH_ERR_UNAVAILABLE,
                MOUNTED_TOKEN " does not answer");
        err_set(&account->contents[AUTHORITY].err, BERTH_ERR_UNAVAILABLE,
                MOUNTED_AUTHORITY " does not answer");
        return account;
}

void mounted_account_free(struct mounted_account *account) {
        if (!account)
                return;
        loop_timer_disarm(account->loop, &account->timer);
        file_reader_free(account->reader);
        for (size_t i = 0; i < FILE_READER_MAX; i++)
                file_content_wipe(&account->contents[i]);
        free(account);
}

void mounted_account_start(struct mounted_account *account) {
        account->is_awaited = true;
        if (file_reader_is_late(account->reader))
                loop_timer_arm(account->loop, &account->timer, 0);
        else
                file_reader_start(account->reader);
}

static struct slice content_text(const struct file_content *content) {
        return slice_make(content->text, content->size);
}

struct slice mounted_account_token(const struct mounted_account *account) {
        return slice_trim(content_text(&account->contents[TOKEN]));
}

struct slice mounted_account_authority(const struct mounted_account *account) {
        return content_text(&account->contents[AUTHORITY]);
}

const struct err *mounted_account_token_error(const struct mounted_account *account) {
        return &account->contents[TOKEN].err;
}

const struct err *mounted_account_authority_error(const struct mounted_account *account) {
        return &account->contents[AUTHORITY].err;
}
