// Terminal of the Store Integration Service: shows customers their store credit, its history and their discount, redeems
// gift cards, applies coupons, sends again what they own, and gives them the link to their own page.
//
// Put this script into an object with a notecard named "terminal" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//
// The key needs the scopes of the preset "terminal". See README.md beside this file.

string TITLE = "Terminal";
string VERSION = "0.1.0";
string NOTECARD = "terminal";
string SETTINGS = "service = https://..., key = sis_live_...";
list SCOPES = ["credits:read", "customers:read", "coupons:apply", "giftcards:redeem", "products:redeliver"];

// The colour of the text above it: red, green and blue, each from 0 to 1.
vector COLOR = <1.0, 1.0, 1.0>;

// ---- Shared: this part is the same in all scripts of this folder, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
// A letter of another alphabet in the address or the key.
string gOdd;
// When the notecard was put into the object: one that was edited has another time.
string gNotecard;
key gKeyCheck;
list gTold;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    if (gHover == "off") text = "";
    llSetText(text, COLOR, 1.0);
}

// The owner hears each trouble once, offline as well.
complain(string text)
{
    string known = llGetSubString(text, 0, 59);
    if (llListFindList(gTold, [known]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += known;
    llInstantMessage(llGetOwner(), TITLE + ": " + text);
}

// A trouble that keeps the object from its work stands above it as well.
stop(string text)
{
    show(TITLE + ": " + text);
    complain(text);
}

// Tells the owner who touches the object the facts that only the virtual world knows.
report(string text)
{
    llOwnerSay(TITLE + " " + VERSION + ": " + text + " Memory: " + (string)llGetUsedMemory() + "; linkset data free: "
        + (string)llLinksetDataAvailable() + ".");
}

// A JSON string. llList2Json is not used: it takes a text such as "[lamp]" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

// A call of the service; NULL_KEY if the region lets no more through now.
key call(string method, string path, string body, list more)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, method,
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ] + more, body);
}

// Every live key may ask what it may do. The reason of most refusals does not reach a script, which sees 415 in its place.
askKey()
{
    gKeyCheck = call("GET", "/v1/store", "", []);
}

integer isKeyFault(integer status)
{
    return status == 401 || status == 403 || status == 415;
}

// Says from the answer to askKey what is wrong with the key; empty if nothing is.
string keyFault(integer status, string body)
{
    if (isKeyFault(status))
        return "the service refuses the key, or is busy.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "no answer (" + (string)status + "). Is the address right?";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key lacks " + scope + ". Ask for one with the preset " + NOTECARD + ".";
    }
    return "";
}

// An address or a key without the quotes, brackets, blanks and signs that nobody sees, which people paste along.
string plain(string text)
{
    string left;
    integer at;
    integer code = 1;
    while (code)
    {
        code = llOrd(text, at);
        string sign = llGetSubString(text, at, at);
        if (code > 44 && code < 123 && code != 60 && code != 62) left += sign;
        // A letter of another script may look like one of ours.
        else if (code > 191 && code < 8192) gOdd = sign;
        ++at;
    }
    return left;
}

// A line is blank, a comment that begins with #, or a name, = and a value.
readLine(string line)
{
    line = llStringTrim(line, STRING_TRIM);
    if (line == "" || llGetSubString(line, 0, 0) == "#") return;
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service")
    {
        // People copy a slash along, the /v1 of the API's paths, or the address of the desk.
        gService = plain(llList2String(llParseString2List(value + "/", ["/v1/", "/desk/", "/#"], []), 0));
        while (llGetSubString(gService, -1, -1) == "/") gService = llDeleteSubString(gService, -1, -1);
    }
    else if (name == "key") gKey = plain(value);
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("line " + (string)(gLine + 1) + " of the notecard is none of " + SETTINGS + ", hover = on or off.");
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = llGetInventoryAcquireTime(NOTECARD);
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
    // A line may never come: the timer asks for it again while there is a query.
    llSetTimerEvent(10.0);
}

// Takes a line, and all behind it that the region has at hand: a reset between them would lose the former key. True behind
// the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    while (line != EOF)
    {
        // A longer line is none that it knows, and would take too much memory.
        readLine(llGetSubString(line, 0, 254));
        ++gLine;
        line = llGetNotecardLineSync(NOTECARD, gLine);
        if (line == NAK)
        {
            gLineQuery = llGetNotecardLine(NOTECARD, gLine);
            return FALSE;
        }
    }
    gLineQuery = "";
    if (gOdd) stop("the address or the key has the sign \"" + gOdd + "\" in it.");
    else if (gService == "" || gKey == "") stop("the notecard lacks \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address in the notecard must begin with https://.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("it works on the main grid alone.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return llGetInventoryAcquireTime(NOTECARD) != gNotecard;
}

// ---- End of the shared part. ----

// So many avatars may use the terminal at once, each until so many seconds have passed without a word.
integer USERS = 6;
integer PATIENCE = 120;
float TICK = 30.0;

// Products on a page: an answer has at most 2,048 bytes. A page that is longer is asked for again with one product.
integer ROWS = 5;

// A dialog has at most 512 bytes.
integer NAME_BYTES = 80;

// The link to an avatar's own page ends with this and a code of 74 signs. A link has at most 255.
string PAGE = "/me#code=";
integer LONGEST = 172;

integer gReady;
integer gPages;
integer gChannel;

// A row for each avatar who uses the terminal: avatar, until when, step and request. The request's path, its body, its
// Idempotency-Key and the data of the step are lines of linkset data, which has room where the script has none. A path may
// hold the number of a gift card, so a pass protects them: only who has the key can read them.
list gUsers;
integer STRIDE = 4;
string KEPT = "sis:t:";
string gPass;

// The row that is worked on. It is taken out of the list and put back if the avatar is not done.
key gWho;
string gStep;
key gRequest;
string gPath;
string gBody;
string gTag;
string gData;

// The answer that is read: a text that is passed on takes its memory twice.
string gAnswer;

integer isSetting(string name, string value)
{
    return FALSE;
}

// The row where that value stands, in the column of avatars or requests.
integer rowOf(key value, integer column)
{
    integer row;
    for (row = 0; row < llGetListLength(gUsers); row += STRIDE)
        if (llList2Key(gUsers, row + column) == value) return row;
    return -1;
}

string keptName(string who)
{
    return KEPT + (string)llGetKey() + ":" + who;
}

// Of an earlier life: nobody asks for them again.
forgetUsers()
{
    gUsers = [];
    llLinksetDataDeleteFound("^" + keptName(""), gPass);
}

take(integer row)
{
    gWho = llList2Key(gUsers, row);
    gStep = llList2String(gUsers, row + 2);
    list kept = llParseStringKeepNulls(llLinksetDataReadProtected(keptName(gWho), gPass), ["\n"], []);
    gPath = llList2String(kept, 0);
    gBody = llList2String(kept, 1);
    gTag = llList2String(kept, 2);
    gData = llList2String(kept, 3);
    drop(row);
}

drop(integer row)
{
    llLinksetDataDeleteProtected(keptName(llList2String(gUsers, row)), gPass);
    gUsers = llDeleteSubList(gUsers, row, row + STRIDE - 1);
}

put()
{
    gUsers += [gWho, llGetUnixTime() + PATIENCE, gStep, gRequest];
    llLinksetDataWriteProtected(keptName(gWho), gPath + "\n" + gBody + "\n" + gTag + "\n" + gData, gPass);
    llSetTimerEvent(TICK);
}

tell(string text)
{
    llRegionSayTo(gWho, 0, text);
}

// Asks the avatar, who answers with a button, or in a box for text if there are none.
choose(string step, string text, list buttons)
{
    gStep = step;
    gRequest = NULL_KEY;
    put();
    if (buttons != []) llDialog(gWho, text, buttons, gChannel);
    else llTextBox(gWho, text, gChannel);
}

send()
{
    list more = [];
    string method = "GET";
    if (gBody != "")
    {
        method = "POST";
        more = [HTTP_CUSTOM_HEADER, "Idempotency-Key", gTag];
    }
    gRequest = call(method, gPath, gBody, more);
    if (gRequest == NULL_KEY) offerAgain("This terminal has too much to do now.");
    else put();
}

// The same request, under the same Idempotency-Key, is made once.
offerAgain(string text)
{
    choose(gStep, text + " Please wait half a minute, and press Again.", ["Again", "Close"]);
}

ask(string step, string path, string body)
{
    gStep = step;
    gPath = path;
    gBody = body;
    gTag = (string)llGenerateKey();
    send();
}

string customer()
{
    return "/v1/customers/" + (string)gWho;
}

askLots(string type)
{
    ask(type, customer() + "/credit/lots?state=open&limit=1&type=" + type, "");
}

askProducts(string cursor, integer rows)
{
    string path = customer() + "/products?limit=" + (string)rows;
    if (cursor != "") path += "&cursor=" + llEscapeURL(cursor);
    gData = cursor;
    ask("products", path, "");
}

// The text cut to so many bytes of UTF-8.
string fit(string text, integer bytes)
{
    while (llStringLength(llStringToBase64(text)) * 3 / 4 > bytes) text = llDeleteSubString(text, -1, -1);
    return text;
}

// Balance, and what expires next of it.
string balance(string credit)
{
    string amount = llJsonGetValue(gAnswer, ["data", 0, "remaining"]);
    string text = "L$ " + credit;
    if (amount == JSON_INVALID) return text;
    return text + " (L$ " + amount + " of it until " + llGetSubString(llJsonGetValue(gAnswer, ["data", 0, "expiresAt"]), 0, 9) + ")";
}

creditAnswered()
{
    string regular = llJsonGetValue(gAnswer, ["credit"]);
    string restricted = llJsonGetValue(gAnswer, ["restrictedCredit"]);
    if (gStep == "credit")
    {
        gData = regular + "," + restricted;
        askLots("regular");
        return;
    }
    list had = llParseString2List(gData, [","], []);
    if (gStep == "regular")
    {
        gData = balance(llList2String(had, 0)) + "," + llList2String(had, 1);
        if (llList2String(had, 1) != "0")
        {
            askLots("restricted");
            return;
        }
        tell("Your store credit: " + balance(llList2String(had, 0)) + ".");
        return;
    }
    tell("Your store credit: " + llList2String(had, 0) + ", and for what you buy for yourself: "
        + balance(llList2String(had, 1)) + ".");
}

// Discount for what the avatar has spent in the last year, and what is missing to the next.
tiersAnswered()
{
    integer spent = (integer)gData;
    string percent;
    string text = "In the last year you spent L$ " + (string)spent + " here.";
    string next;
    integer i;
    for (i = 0; next == "" && llJsonValueType(gAnswer, ["tiers", i]) == JSON_OBJECT; ++i)
    {
        integer missing = (integer)llJsonGetValue(gAnswer, ["tiers", i, "from"]) - spent;
        string tier = llJsonGetValue(gAnswer, ["tiers", i, "percent"]) + " %";
        if (missing <= 0) percent = tier;
        else next = " L$ " + (string)missing + " more, and you get " + tier + " off.";
    }
    if (i == 0) text += " This store gives no discount for that.";
    if (percent != "") text += " You get " + percent + " off.";
    tell(text + next);
}

string causeOf(string kind, integer more)
{
    if (kind == "sale") return "you bought something";
    if (kind == "refund") return "a purchase was taken back";
    if (kind == "redeem") return "you redeemed a gift card";
    if (kind == "bonus" && more < 0) return "a bonus was taken back with its purchase";
    if (kind == "bonus") return "a bonus for a purchase";
    if (kind == "expire") return "it expired";
    return "changed by the store";
}

// The last changes of credit, newest first.
historyAnswered()
{
    // A change of many lots is cut off within them. What is before those of the newest is enough.
    if (llJsonValueType(gAnswer, []) == JSON_INVALID)
        gAnswer = llGetSubString(gAnswer, 0, llSubStringIndex(gAnswer, ",\"lots\":") - 1) + "}]}";
    string text;
    integer i;
    for (i = 0; llJsonValueType(gAnswer, ["data", i]) == JSON_OBJECT; ++i)
    {
        integer more = (integer)llJsonGetValue(gAnswer, ["data", i, "amount"]) - (integer)llJsonGetValue(gAnswer, ["data", i, "expired"]);
        string change = (string)llAbs(more) + " more";
        if (more < 0) change = (string)llAbs(more) + " less";
        text += "\n" + llGetSubString(llJsonGetValue(gAnswer, ["data", i, "at"]), 0, 9) + "  L$ " + change + ": "
            + causeOf(llJsonGetValue(gAnswer, ["data", i, "kind"]), more) + ". ";
        if (llJsonGetValue(gAnswer, ["data", i, "type"]) == "restricted")
            text += "Then L$ " + llJsonGetValue(gAnswer, ["data", i, "restrictedCredit"]) + " for what you buy for yourself.";
        else text += "Then L$ " + llJsonGetValue(gAnswer, ["data", i, "credit"]) + ".";
    }
    if (i == 0) text = " nothing has changed it yet.";
    tell("Your store credit:" + text);
}

cardsAnswered()
{
    string text = "You have no gift card to redeem.";
    if (llJsonGetValue(gAnswer, ["cards"]) != "0")
        text = "Gift cards redeemed: " + llJsonGetValue(gAnswer, ["cards"]) + ", L$ " + llJsonGetValue(gAnswer, ["amount"])
            + ". Your store credit is L$ " + llJsonGetValue(gAnswer, ["credit", "credit"]) + " now.";
    if (llJsonGetValue(gAnswer, ["more"]) == JSON_TRUE) text += " You have more of them: choose My cards again.";
    tell(text);
}

productsAnswered()
{
    if (llJsonValueType(gAnswer, []) == JSON_INVALID)
    {
        askProducts(gData, 1);
        return;
    }
    list ids = [cursorIn("nextCursor"), cursorIn("previousCursor")];
    list buttons = [];
    string text = "Choose what is sent to you again.";
    integer i;
    for (i = 0; llJsonValueType(gAnswer, ["data", i]) == JSON_OBJECT; ++i)
    {
        ids += llJsonGetValue(gAnswer, ["data", i, "productId"]);
        buttons += (string)(i + 1);
        text += "\n" + (string)(i + 1) + "  " + fit(llJsonGetValue(gAnswer, ["data", i, "name"]), NAME_BYTES);
    }
    if (i == 0)
    {
        tell("You have bought nothing from this store yet.");
        return;
    }
    gData = llDumpList2String(ids, "|");
    if (llList2String(ids, 1) != "") buttons += "Back";
    if (llList2String(ids, 0) != "") buttons += "More";
    choose("product", text, buttons + "Close");
}

string cursorIn(string name)
{
    string cursor = llJsonGetValue(gAnswer, ["pagination", name]);
    if (cursor == JSON_NULL) return "";
    return cursor;
}

// The link is for who asked for it alone, and for nobody once they have left. No window shows for an object of a group, nor in
// some viewers, so they hear it too.
pageAnswered()
{
    if (llGetAgentSize(gWho) == ZERO_VECTOR) return;
    string link = gService + PAGE + llJsonGetValue(gAnswer, ["code"]);
    gAnswer = "Your own page of this store. The link works once, for ten minutes. Nobody of the store ever asks you for it.";
    tell(gAnswer + "\n" + link);
    llLoadURL(gWho, gAnswer, link);
}

// The call was refused, or nobody knows. Each case says what to do.
failed(integer status, string detail)
{
    if (isKeyFault(status))
    {
        tell("This terminal needs care: its owner is told. Please try again later.");
        gReady = FALSE;
        askKey();
    }
    else if (status == 404 && gStep == "redeem") tell("There is no gift card of that number. Please copy all of it, and touch again.");
    else if (status == 404 && gStep == "apply") tell("There is no coupon of that code. Please look how it is written, and touch again.");
    else if (status == 404 && gStep == "redeliver") tell("The store has this product no more. Please ask its owner.");
    else if (status == 404) tell("The store does not know you yet. Buy something first, or ask its owner.");
    else if (status == 400 && gStep == "apply") tell("This coupon is not valid any more. Please ask the store for another.");
    else if (status == 400 && llSubStringIndex(detail, "redeemed already") >= 0)
        tell("This gift card has been redeemed already. Choose Balance to see your credit.");
    else if (status == 400 && llSubStringIndex(detail, "owner of the card") >= 0)
        tell("This gift card is another avatar's, and may not be given away. Let its owner redeem it.");
    else if (status == 400 && llSubStringIndex(detail, "copies") >= 0)
        tell("This product may not be copied, so it comes only once. If it is lost, please ask the store's owner.");
    else if (status == 400 && llSubStringIndex(detail, "60 seconds") >= 0)
        tell("It was sent to you just now. Please wait a minute before you ask again.");
    else if (status >= 400 && status < 499 && status != 409 && status != 429)
        tell("The store refuses this. Please ask its owner, and tell these words: " + detail);
    else offerAgain("The store does not answer.");
}

chosen(string text)
{
    if (text == "Close") return;
    if (text == "Again" && gPath != "") send();
    else if (gStep == "card")
    {
        if ((key)text) ask("redeem", "/v1/giftcards/" + text + "/actions/redeem", "{\"identifier\":" + quoted((string)gWho) + "}");
        else choose("card", "That is no number of a gift card: it has 36 letters, digits and -. Please copy it here:", []);
    }
    else if (gStep == "code")
    {
        if (text == "" || llStringLength(text) > 64) choose("code", "A code has 1 to 64 letters. Please write it here:", []);
        else ask("apply", customer() + "/actions/apply-coupon", "{\"scope\":0,\"code\":" + quoted(text) + "}");
    }
    else if (gStep == "product")
    {
        list ids = llParseStringKeepNulls(gData, ["|"], []);
        if (text == "More") askProducts(llList2String(ids, 0), ROWS);
        else if (text == "Back") askProducts(llList2String(ids, 1), ROWS);
        else if ((integer)text > 0) ask("redeliver", customer() + "/products/" + llList2String(ids, 1 + (integer)text) + "/actions/redeliver", "{}");
    }
    else if (text == "Redeem" && gStep == "cards") ask("own", customer() + "/giftcards/actions/redeem", "{}");
    else if (text == "Balance") ask("credit", customer() + "/credit", "");
    else if (text == "History") ask("history", customer() + "/credit/history?limit=3", "");
    else if (text == "My discount") ask("spend", customer() + "/spend", "");
    else if (text == "My cards")
        choose("cards", "All gift cards that are yours become store credit of yours, those too that you could give away. Go on?",
            ["Redeem", "Close"]);
    else if (text == "Gift card") choose("card", "Copy the number of the gift card here:", []);
    else if (text == "Coupon") choose("code", "Write the code of the coupon here:", []);
    else if (text == "My products") askProducts("", ROWS);
    else if (text == "My page" && gPages) ask("page", customer() + "/actions/open-page", "{}");
}

dropOld()
{
    integer row;
    for (row = llGetListLength(gUsers) - STRIDE; row >= 0; row -= STRIDE)
        if (llList2Integer(gUsers, row + 1) < llGetUnixTime()) drop(row);
}

default
{
    state_entry()
    {
        openNotecard();
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        if (!isRead(line)) return;
        gPass = llHMAC(gKey, (string)llGetOwner(), "sha256");
        forgetUsers();
        gChannel = (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6)) | 0x80000000;
        llListen(gChannel, "", NULL_KEY, "");
        llSetTimerEvent(TICK);
        if (llStringLength(gService) > LONGEST) complain("the address in the notecard is too long for My page.");
        askKey();
    }

    touch_start(integer count)
    {
        dropOld();
        integer i;
        for (i = 0; i < count; ++i)
        {
            integer row = rowOf(llDetectedKey(i), 0);
            if (row >= 0) take(row);
            gWho = llDetectedKey(i);
            // Nobody hears of a request that another avatar has made.
            gPath = "";
            gBody = "";
            gTag = "";
            gData = "";
            if (gWho == llGetOwner()) report((string)(llGetListLength(gUsers) / STRIDE) + " avatars use it.");
            if (!gReady) tell("This terminal is not ready. Please try again later, or tell its owner.");
            else if (llGetListLength(gUsers) >= USERS * STRIDE) tell("Others use this terminal now. Please touch it again in a minute.");
            else
            {
                list buttons = ["Balance", "History", "My discount", "My cards", "Gift card", "Coupon", "My products"];
                if (gPages) buttons += "My page";
                choose("menu", "What can this store do for you?", buttons + "Close");
            }
        }
    }

    listen(integer channel, string name, key id, string text)
    {
        integer row = rowOf(id, 0);
        if (row < 0)
        {
            llRegionSayTo(id, 0, "This menu is over. Please touch the terminal again.");
            return;
        }
        // One request at a time: a second press of a button does nothing.
        if (llList2Key(gUsers, row + 3) != NULL_KEY) return;
        take(row);
        chosen(llStringTrim(text, STRING_TRIM));
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            gReady = fault == "";
            gPages = llStringLength(gService) <= LONGEST && llSubStringIndex(llJsonGetValue(body, ["key", "scopes"]), quoted("pages:open")) >= 0;
            if (gReady)
            {
                gTold = [];
                show(llJsonGetValue(body, ["name"]) + "\nTouch for your credit, gift cards, coupons and products");
            }
            else stop(fault);
            return;
        }
        integer row = rowOf(request, 3);
        if (row < 0) return;
        take(row);
        gAnswer = body;
        body = "";
        if (status != 200) failed(status, llJsonGetValue(gAnswer, ["detail"]));
        else if (gStep == "products") productsAnswered();
        else if (gStep == "history") historyAnswered();
        else if (gStep == "own") cardsAnswered();
        else if (gStep == "page") pageAnswered();
        else if (gStep == "rules") tiersAnswered();
        else if (gStep == "spend")
        {
            gData = llJsonGetValue(gAnswer, ["lastYearSum"]);
            ask("rules", "/v1/store/rules", "");
        }
        else if (gStep == "redeem")
            tell("The card is redeemed. Your store credit is L$ " + llJsonGetValue(gAnswer, ["credit", "credit"]) + " now.");
        else if (gStep == "redeliver") tell("It is on its way to you.");
        else if (gStep == "apply")
            tell("The coupon " + llJsonGetValue(gAnswer, ["code"]) + " takes " + llJsonGetValue(gAnswer, ["discount"])
                + " % off what you buy within 24 hours.");
        else creditAnswered();
        gAnswer = "";
    }

    timer()
    {
        if (gLineQuery)
        {
            openNotecard();
            return;
        }
        dropOld();
        if (!gReady && gService != "") askKey();
        else if (gUsers == []) llSetTimerEvent(0.0);
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || isOtherNotecard(change))
        {
            forgetUsers();
            llResetScript();
        }
        // A request that was under way is never answered.
        if (change & CHANGED_REGION_START) forgetUsers();
    }
}
